"""Seeded random edits of the open scene, the way artists and scripts make them. By name, as undo exchanges what is Blender's."""

from __future__ import annotations

import random

import bpy

from live_structure import StructureEdits


class Edits(StructureEdits):
    """Random edits from one seed. `step` makes one and says which."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.count = 0
        self.kinds = [name.removeprefix("edit_") for name in dir(self) if name.startswith("edit_")]

    def step(self, kind: str = "") -> str:
        """Make an edit (of `kind`, or a random one) and push an undo step; returns a text that tells it."""
        kind = kind or self.random.choice(self.kinds)
        told = getattr(self, f"edit_{kind}")()
        if kind not in ("undo", "redo"):
            bpy.ops.ed.undo_push(message=kind)
        return f"{kind} {told or ''}"

    def edit_move(self):
        obj = self.object()
        obj.location = self.vector(20)
        return obj.name

    def edit_move_many(self):
        chosen = [o for o in bpy.data.objects if self.chance(0.3)]
        for obj in chosen:
            obj.location.x += self.random.uniform(-1, 1)
        return len(chosen)

    def edit_turn(self):
        obj = self.object()
        obj.rotation_mode = "XYZ"
        obj.rotation_euler = self.vector(3)
        return obj.name

    def edit_scale(self):
        obj = self.object()
        obj.scale = self.random.choice([(1, 1, 1), (-1, 1, 1), (0, 1, 1), (0, 0, 0), (1, 3, 1), (0.1, 0.1, -0.1)])
        return f"{obj.name} {tuple(obj.scale)}"

    def edit_select(self):
        obj = self.object(lambda o: o.name in bpy.context.view_layer.objects)
        if obj:
            obj.select_set(not obj.select_get())

    def edit_hide(self):
        obj = self.object()
        obj.hide_viewport = not obj.hide_viewport
        return f"{obj.name} {obj.hide_viewport}"

    def edit_hide_eye(self):
        obj = self.object(lambda o: o.name in bpy.context.view_layer.objects)
        if obj:
            obj.hide_set(not obj.hide_get())
            return f"{obj.name} {obj.hide_get()}"

    def edit_hide_render(self):
        obj = self.object()
        obj.hide_render = not obj.hide_render

    def edit_parent(self):
        child, parent = self.object(), self.object()
        above, seen = parent, []
        while above is not None:
            seen.append(above)
            above = above.parent
        if child in seen or any(self.holds(c, parent) for c in child.users_collection):
            return "nothing"
        child.parent = parent
        return f"{child.name} to {parent.name}"

    def edit_unparent(self):
        child = self.object(lambda o: o.parent is not None)
        if child:
            child.parent = None
            return child.name

    def edit_modifier(self):
        obj = self.mesh_object()
        if obj is None:
            return "nothing"
        if len(obj.modifiers) and obj.modifiers[0].type == "ARRAY":
            if self.chance(0.5):
                obj.modifiers[0].count = self.random.randint(1, 4)
            else:
                obj.modifiers.remove(obj.modifiers[0])
        elif not len(obj.modifiers):
            obj.modifiers.new("array", "ARRAY").count = 2
        return obj.name

    def edit_modifier_switch(self):
        obj = self.object(lambda o: len(o.modifiers))
        if obj:
            obj.modifiers[0].show_viewport = not obj.modifiers[0].show_viewport
            return obj.name

    def edit_mesh(self):
        mesh = self.pick([m for m in bpy.data.meshes if len(m.vertices)])
        mesh.vertices[0].co.z += self.random.uniform(0.1, 1)
        mesh.update()
        return mesh.name

    def edit_mesh_exchange(self):
        obj = self.mesh_object()
        if obj:
            obj.data = self.pick(bpy.data.meshes)
            return f"{obj.name} {obj.data.name}"

    def edit_material(self):
        mesh = self.pick(bpy.data.meshes)
        if len(mesh.materials):
            mesh.materials[0] = self.pick(bpy.data.materials)
        else:
            mesh.materials.append(self.pick(bpy.data.materials))
        return mesh.name

    def edit_material_of_object(self):
        obj = self.object(lambda o: o.type == "MESH" and len(o.material_slots))
        if obj:
            slot = obj.material_slots[0]
            slot.link = self.random.choice(("OBJECT", "DATA"))
            if slot.link == "OBJECT":
                slot.material = self.pick(bpy.data.materials) if self.chance(0.8) else None
            return f"{obj.name} {slot.link}"

    def edit_material_name(self):
        found = self.pick(bpy.data.materials)
        found.name = self.name("material")
        return found.name

    def edit_material_color(self):
        self.pick(bpy.data.materials).diffuse_color = (self.random.random(), 0, 0, 1)

    def edit_rename(self):
        obj = self.object()
        before, obj.name = obj.name, self.name("renamed")
        return f"{before} {obj.name}"

    def edit_color(self):
        self.object().color = (self.random.random(), 0, 0, 1)

    def edit_constraint(self):
        obj = self.object()
        if len(obj.constraints):
            obj.constraints.remove(obj.constraints[0])
        else:
            obj.constraints.new("LIMIT_SCALE")
        return obj.name

    def edit_keyframe(self):
        obj = self.object()
        for frame in (1, 10):
            obj.location.x += 1
            obj.keyframe_insert("location", frame=frame)
        return obj.name

    def edit_keyframe_hide(self):
        obj = self.object()
        for frame in (1, 5, 10):
            obj.hide_viewport = not obj.hide_viewport
            obj.keyframe_insert("hide_viewport", frame=frame)
        return obj.name

    def edit_keyframe_clear(self):
        obj = self.object(lambda o: o.animation_data is not None)
        if obj:
            obj.animation_data_clear()
            return obj.name

    def edit_frame(self):
        frame = self.random.randint(1, 12)
        bpy.context.scene.frame_set(frame)
        return frame

    def edit_property(self):
        obj = self.object()
        obj["gpuscene_height"] = self.random.random()
        obj.update_tag()  # as the user interface does
        return obj.name

    def edit_full_precision(self):
        obj = self.object()
        obj.gpuscene.full_precision = not obj.gpuscene.full_precision
        return obj.name

    def edit_movable(self):
        obj = self.object()
        obj.gpuscene.movable = self.random.choice(("AUTO", "YES", "NO"))
        return obj.name

    def edit_level_list(self):
        obj, level = self.mesh_object(), self.mesh_object()
        if obj is None or obj == level:
            return "nothing"
        if len(obj.gpuscene.lods):
            obj.gpuscene.lods[0].screen_size = self.random.uniform(0.1, 0.4)
        else:
            entry = obj.gpuscene.lods.add()
            entry.object = level
        return f"{obj.name} {level.name}"

    def edit_show_instancer(self):
        obj = self.object(lambda o: o.instance_type in ("VERTS", "FACES") or len(o.modifiers))
        if obj:
            obj.show_instancer_for_viewport = not obj.show_instancer_for_viewport
            return obj.name

    def edit_particle_count(self):
        settings = self.pick(bpy.data.particles)
        if settings:
            settings.count = self.random.randint(1, 4)
            return settings.name

    def edit_undo(self):
        if bpy.ops.ed.undo.poll():
            bpy.ops.ed.undo()

    def edit_redo(self):
        if bpy.ops.ed.redo.poll():
            bpy.ops.ed.redo()
