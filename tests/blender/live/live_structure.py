"""Random edits that make, remove, instance and nest."""

from __future__ import annotations

import bpy

from builders import add, collection, fan, hair, instance, layer_collection, plane, points, scatter
from live_choices import Choices


class StructureEdits(Choices):
    """Each returns what it did."""

    def edit_add_mesh(self):
        mesh = fan(self.name("fan"), self.random.randint(3, 9))
        return add(self.name("mesh"), mesh, self.place(), location=self.vector(9)).name

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

    def edit_rename_collection(self):
        made = self.collection()
        if made:
            made.name = self.name("collection")

    def edit_instance_of(self):
        obj = self.object(lambda o: o.instance_collection is not None)
        if obj:
            of = self.collection()
            if any(self.holds(c, of) for c in obj.users_collection if c != bpy.context.scene.collection):
                return "nothing"
            obj.instance_collection = of
            return f"{obj.name} {of.name}"
