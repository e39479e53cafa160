"""What original objects carry for the export: GPUScene settings, custom properties. Bulk questions, asked once a file."""

from __future__ import annotations


def configured_objects(objects) -> dict:
    """Full name -> settings (``GPUSCENE_PG_object``) of every original object that has any; empty while the add-on is not registered.

    Originals are asked, not evaluated copies: a setting made by script marks nothing for evaluation. Drawing a panel makes an
    empty group on the object it shows, which counts for nothing.

    Parameters
    ----------
    objects : list of original bpy.types.Object
    """
    if not objects or "gpuscene" not in objects[0].bl_rna.properties:
        return {}
    touched = [o for o in objects if o.is_property_set("gpuscene")]
    if not touched:
        return {}
    settings = [name for name in touched[0].gpuscene.bl_rna.properties.keys() if name not in ("rna_type", "name")]
    return {o.name_full: o.gpuscene for o in touched if any(map(o.gpuscene.is_property_set, settings))}


def carried_properties(objects, names) -> frozenset:
    """Those of `names` that some original object has as a custom property."""
    return frozenset(name for name in names if True in [name in o for o in objects])
