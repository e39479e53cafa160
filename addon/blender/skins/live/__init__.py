"""Skins in the 3D View: particles on the chosen objects, moved by this frame's bone matrices. Nothing runs while stopped."""
