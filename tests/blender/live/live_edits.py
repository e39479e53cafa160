"""Seeded random edits of the open scene, the way artists and scripts make them. Everything goes by name: undo exchanges what Blender holds."""

from __future__ import annotations

import random

import bpy

from builders import add, collection, fan, hair, instance, layer_collection, plane, points, scatter

NAMED = ("MESH", "FONT", "EMPTY")


class Edits:
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

    # What there is to choose from

    def name(self, kind):
        self.count += 1
        return f"{kind} {self.random.randint(0, 10 ** 6)}-{self.count}"

    def vector(self, size):
        return [self.random.uniform(-size, size) for _ in range(3)]

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, choices):
        choices = sorted(choices, key=lambda block: block.name_full)
        return self.random.choice(choices) if choices else None

    def object(self, test=lambda obj: True):
        return self.pick([o for o in bpy.data.objects if test(o)])

    def mesh_object(self):
        return self.object(lambda o: o.type == "MESH")

    def collection(self):
        return self.pick(bpy.data.collections)

    def place(self):
        return self.collection() if self.chance(0.4) else bpy.context.scene.collection

    def holds(self, outer, inner) -> bool:
        """Whether what `inner` (object or collection) shows comes, at any depth, from the collection `outer`."""
        seen = set()

        def reaches(block):
            if block == outer:
                return True
            if block in seen:
                return False
            seen.add(block)
            if isinstance(block, bpy.types.Collection):
                return any(map(reaches, [*block.objects, *block.children]))
            shown = [block.instance_collection] if block.instance_collection else []
            shown += [m.node_group for m in block.modifiers if m.type == "NODES" and m.node_group]
            shown += [s.settings.instance_collection or s.settings.instance_object for s in block.particle_systems]
            found = []
            for one in shown:
                if isinstance(one, bpy.types.NodeTree):
                    found += [i.default_value for n in one.nodes for i in n.inputs if i.type in ("OBJECT", "COLLECTION") and i.default_value]
                elif one is not None:
                    found.append(one)
            return any(map(reaches, [*found, *block.children]))

        return reaches(inner)

    # Edits

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

    def edit_add_mesh(self):
        return add(self.name("mesh"), fan(self.name("fan"), self.random.randint(3, 9)), self.place(), location=self.vector(9)).name

    def edit_add_linked(self):
        return add(self.name("linked"), self.pick(bpy.data.meshes), self.place(), location=self.vector(9)).name

    def edit_duplicate(self):
        obj = self.object(lambda o: o.name in bpy.context.view_layer.objects and o.visible_get())
        if obj is None:
            return "nothing"
        for other in bpy.context.view_layer.objects:
            other.select_set(other == obj)
        bpy.context.view_layer.objects.active = obj
        bpy.ops.object.duplicate(linked=self.chance(0.5))
        return obj.name

    def edit_select(self):
        obj = self.object(lambda o: o.name in bpy.context.view_layer.objects)
        if obj:
            obj.select_set(not obj.select_get())

    def edit_add_text(self):
        curve = bpy.data.curves.new(self.name("text"), "FONT")
        curve.body = self.random.choice("il.")
        return add(curve.name, curve, self.place(), location=self.vector(9)).name

    def edit_add_instance(self):
        into, of = self.place(), self.collection()
        if of is None or into == of or (into != bpy.context.scene.collection and self.holds(into, of)):
            return "nothing"
        return instance(self.name("instance"), of, into, location=self.vector(9)).name

    def edit_add_scatter(self):
        into, what = bpy.context.scene.collection, self.collection() if self.chance(0.5) else self.mesh_object()
        if what is None:
            return "nothing"
        obj = add(self.name("scatter"), points("cloud", [self.vector(5) for _ in range(self.random.randint(0, 4))]), into)
        scatter(obj, what, self.chance(0.7), keep=self.chance(0.5))
        return f"{obj.name} of {what.name}"

    def edit_add_vertices(self):
        obj = add(self.name("vertices"), plane("vertices"), self.place(), location=self.vector(9))
        obj.instance_type = self.random.choice(("VERTS", "FACES"))
        obj.show_instancer_for_viewport = self.chance(0.5)
        add(self.name("child"), self.pick(bpy.data.meshes), self.place(), location=self.vector(2), parent=obj)
        return obj.name

    def edit_add_emitter(self):
        what = self.mesh_object()
        if what is None or len(bpy.data.particles) > 4:
            return "nothing"
        obj = add(self.name("emitter"), plane("emitter", 2, 2), bpy.context.scene.collection, location=self.vector(9))
        hair(obj, "hair", 3, what, seed=self.random.randint(1, 99))
        return obj.name

    def edit_add_levels(self):
        base = self.name("tree")
        for level in range(self.random.randint(1, 3)):
            add(f"{base}_LOD{level}", fan(base, 9 - 2 * level), self.place(), location=self.vector(9))
        return base

    def edit_delete(self):
        chosen = [self.object() for _ in range(2) if len(bpy.data.objects) > 40 or self.chance(0.5)]
        told = [o.name for o in set(chosen) if o is not None]
        for obj in set(chosen):
            bpy.data.objects.remove(obj)
        return told

    def edit_delete_collection(self):
        made = self.collection()
        if made is None or len(bpy.data.collections) < 4:
            return "nothing"
        told = made.name
        bpy.data.collections.remove(made)
        return told

    def edit_unlink(self):
        obj = self.object(lambda o: len(o.users_collection))
        if obj:
            self.pick(obj.users_collection).objects.unlink(obj)
            return obj.name

    def edit_link(self):
        obj, into = self.object(), self.place()
        if obj.name in into.objects or (into != bpy.context.scene.collection and self.holds(into, obj)):
            return "nothing"
        into.objects.link(obj)
        return f"{obj.name} into {into.name}"

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

    def edit_collection_hide(self):
        made = self.collection()
        if made:
            made.hide_viewport = not made.hide_viewport
            return f"{made.name} {made.hide_viewport}"

    def edit_collection_exclude(self):
        made = self.collection()
        layer = made and layer_collection(made.name)
        if layer:
            layer.exclude = not layer.exclude
            return f"{made.name} {layer.exclude}"

    def edit_collection_eye(self):
        made = self.collection()
        layer = made and layer_collection(made.name)
        if layer:
            layer.hide_viewport = not layer.hide_viewport
            return f"{made.name} {layer.hide_viewport}"

    def edit_collection_offset(self):
        made = self.collection()
        if made:
            made.instance_offset = self.vector(2)
            return made.name

    def edit_collection_content(self):
        """Something that instances show moves."""
        made = self.pick([c for c in bpy.data.collections if len(c.all_objects)])
        if made:
            obj = self.pick(made.all_objects)
            obj.location = self.vector(3)
            return f"{obj.name} in {made.name}"

    def edit_add_collection(self):
        return collection(self.name("collection"), linked=self.chance(0.5)).name

    def edit_nest_collection(self):
        outer, inner = self.collection(), self.collection()
        if outer is None or self.holds(outer, inner) or inner.name in outer.children:
            return "nothing"
        outer.children.link(inner)
        return f"{inner.name} into {outer.name}"

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

    def edit_rename_collection(self):
        made = self.collection()
        if made:
            made.name = self.name("collection")

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

    def edit_instance_of(self):
        obj = self.object(lambda o: o.instance_collection is not None)
        if obj:
            of = self.collection()
            if any(self.holds(c, of) for c in obj.users_collection if c != bpy.context.scene.collection):
                return "nothing"
            obj.instance_collection = of
            return f"{obj.name} {of.name}"

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
