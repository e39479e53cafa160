"""The live scene in Blender: follows the dependency graph, culls and draws in every 3D view. Nothing runs while stopped."""
