"""Materials: which one a slot shows, and what a viewer needs of it."""

from __future__ import annotations

from ...core.limits import NO_INDEX
from ...core.scene import Material


class MaterialTable:
    """Materials in order of first use; one entry a data-block."""

    def __init__(self):
        self.materials: list[Material] = []
        self._index: dict = {}

    def knows(self, name: str) -> bool:
        """Whether a material of this full name was met."""
        return name in self._index

    @property
    def names(self):
        """Full names of the materials met, as a set."""
        return self._index.keys()

    def index(self, material) -> int:
        """Index of a ``bpy.types.Material``, adding it; `NO_INDEX` for None."""
        if material is None:
            return NO_INDEX
        key = material.name_full
        if key not in self._index:
            self._index[key] = len(self.materials)
            self.materials.append(read_material(material))
        return self._index[key]


def slot_materials(obj, mesh) -> list:
    """The material each slot of `mesh` shows on `obj` (None: the mesh alone, as for geometry without an object).

    An object-level slot wins, even when it is empty; otherwise the evaluated mesh's own, since modifiers may add some.
    """
    materials = list(mesh.materials)
    if obj is not None:
        for index, slot in enumerate(obj.material_slots):
            if slot.link == "OBJECT":
                materials.extend([None] * (index + 1 - len(materials)))
                materials[index] = slot.material
    return materials


def read_material(material) -> Material:
    """Base colour, metallic and roughness: of the Principled BSDF where there is one, else the viewport display."""
    color, metallic, roughness = tuple(material.diffuse_color), material.metallic, material.roughness
    tree = material.node_tree
    node = next((n for n in tree.nodes if n.type == "BSDF_PRINCIPLED"), None) if tree else None
    if node is not None:
        base = node.inputs["Base Color"]
        if not base.is_linked:
            alpha = node.inputs["Alpha"]
            color = (*base.default_value[:3], 1.0 if alpha.is_linked else alpha.default_value)
        metallic = metallic if node.inputs["Metallic"].is_linked else node.inputs["Metallic"].default_value
        roughness = roughness if node.inputs["Roughness"].is_linked else node.inputs["Roughness"].default_value
    unit = [min(max(float(v), 0.0), 1.0) for v in (*color, metallic, roughness)]
    return Material(material.name_full, tuple(unit[:4]), unit[4], unit[5], not material.use_backface_culling)
