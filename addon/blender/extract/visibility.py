"""Which objects are shown: at top level, as instances, and instancers themselves. Blender's own rules, found by trial."""

from __future__ import annotations

import numpy as np

from .meshes import geometry_set


def listed_objects(depsgraph, data, originals, instance_types, render) -> tuple:
    """Evaluated objects, their (N, 4, 4) column-stored matrices, and whether every instancer of the file shows itself.

    Blender's list leaves out instancers that hide themselves, instances and all. They show themselves while the list is made: the evaluated
    copies, so nothing of the file changes. `originals`: ``data.objects`` as a list; its own length costs a walk over all of them.
    `instance_types`: those in the file (`duplis.read_instance_types`).
    """
    switch = "show_instancer_for_render" if render else "show_instancer_for_viewport"
    flags = np.ones(len(originals), bool)
    if instance_types or len(data.particles) or any(tree.type == "GEOMETRY" for tree in data.node_groups):  # else nothing can instance
        data.objects.foreach_get(switch, flags)
    hidden = [originals[row].evaluated_get(depsgraph) for row in np.flatnonzero(~flags)]
    hidden = [obj for obj in hidden if obj.is_evaluated]
    try:
        for obj in hidden:
            setattr(obj, switch, True)
        objects = depsgraph.objects.values()
        columns = np.empty((len(objects), 4, 4), np.float32)
        depsgraph.objects.foreach_get("matrix_world", columns.reshape(-1))
    finally:
        for obj in hidden:
            setattr(obj, switch, False)
    return objects, columns, bool(flags.all())


def hidden_by_eye(view_layer) -> set:
    """Original objects that the closed eye of a collection hides in the viewport.

    Blender keeps them in the dependency graph, since a viewport may have local collections; every other switch takes them out of it.
    """
    if not _an_eye_is_closed(view_layer.layer_collection):
        return set()
    return {obj for obj in view_layer.objects if not obj.visible_get(view_layer=view_layer)}


def _an_eye_is_closed(layer_collection) -> bool:
    return any(child.hide_viewport or _an_eye_is_closed(child) for child in layer_collection.children)


def shows_itself(obj, render: bool) -> bool:
    """Instancers can be hidden apart from what they instance; what instances nothing cannot, nor the mesh of a curve or text."""
    if obj.type != "MESH":
        return True
    if obj.show_instancer_for_render if render else obj.show_instancer_for_viewport:
        return True
    return not len(obj.particle_systems) and obj.instance_type == "NONE" and not _has_instances(obj)


def _has_instances(obj) -> bool:
    """Whether Geometry Nodes made something that a mesh object shows as instances."""
    if not any(m.type == "NODES" for m in obj.modifiers):
        return False
    geometry = geometry_set(obj)
    if geometry is None:
        return False
    pointcloud = geometry.instances_pointcloud()
    return bool(pointcloud is not None and len(pointcloud.points)) or has_other_geometry(geometry, obj.type)


def has_other_geometry(geometry, own) -> bool:
    """Whether a geometry set holds anything but instances and what is the object itself. `own`: the object's type, None for a nested set."""
    parts = {"MESH": geometry.mesh, "CURVES": geometry.curves, "POINTCLOUD": geometry.pointcloud, "VOLUME": geometry.volume,
             "GREASEPENCIL": geometry.grease_pencil}
    itself = "CURVES" if own in ("CURVE", "FONT") else own
    return any(data is not None for kind, data in parts.items() if kind != itself)


def hidden_as_instance(obj) -> bool:
    """Blender hides an object whose parent instances on vertices or faces wherever anything else instances it.

    That takes in the meshes of curves, texts, surfaces and metaballs at top level, which are shown as instances of themselves.
    """
    return obj.parent is not None and obj.parent.instance_type in ("VERTS", "FACES")


def visible_objects(collection, render: bool) -> list:
    """Objects of a collection and its children that its instances show; each once, by object and collection switches only."""
    seen, found = set(), []

    def visit(node):
        if node.hide_render if render else node.hide_viewport:
            return
        for obj in node.objects:
            if not (obj.hide_render if render else obj.hide_viewport) and obj not in seen:
                seen.add(obj)
                found.append(obj)
        for child in node.children:
            visit(child)

    visit(collection)
    return found
