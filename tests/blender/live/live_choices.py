"""What random edits choose from: the open scene, in an order that only the seed decides."""

from __future__ import annotations

import bpy


class Choices:
    """`random` is the edits' own generator, `count` the number of names it made."""

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
                    found += [i.default_value for n in one.nodes for i in n.inputs
                              if i.type in ("OBJECT", "COLLECTION") and i.default_value]
                elif one is not None:
                    found.append(one)
            return any(map(reaches, [*found, *block.children]))

        return reaches(inner)
