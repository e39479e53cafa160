"""A skinned mesh from a seed: bones, weights, masks, envelopes, shape keys, scales."""

import random

from skin_builders import clear, column, deform, link, place, rig, weigh

INHERIT = ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")


class RandomRig:
    """A mesh of some 30 vertices on one or two armatures, from a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        clear()
        self.obj = link("skin", column(rings=self.random.randint(2, 7)))
        self.armatures = [self.armature(f"rig {i}") for i in range(1 + self.chance(0.3))]
        self.weights()
        self.modifiers()
        place(self.obj, self.vector(3), self.vector(3), self.scale())
        if self.chance(0.3):
            self.obj.parent = self.armatures[0]
        if self.chance(0.3):
            self.keys()

    def chance(self, probability):
        return self.random.random() < probability

    def vector(self, size):
        return [self.random.uniform(-size, size) for _ in range(3)]

    def scale(self):
        """Even or not, mirrored or not."""
        if self.chance(0.3):
            return [self.random.choice((0.01, 0.547929, 100))] * 3
        return [self.random.choice((1, 1, 0.5, 2)) * self.random.choice((1, 1, 1, -1)) for _ in range(3)]

    def armature(self, name):
        bones, names = {}, []
        for number in range(self.random.randint(1, 6)):
            parent = self.random.choice(names) if names and self.chance(0.7) else None
            head = bones[parent][1] if parent and self.chance(0.6) else self.vector(2)
            bones[f"b{number}"] = (
                head,
                [h + d + (0.3 if axis == 2 else 0) for axis, (h, d) in enumerate(zip(head, self.vector(1), strict=True))],
                parent,
            )
            names.append(f"b{number}")
        armature = rig(bones, name)
        place(armature, self.vector(2), self.vector(3), self.scale())
        for bone in armature.data.bones:
            bone.inherit_scale, bone.use_inherit_rotation = self.random.choice(INHERIT), self.chance(0.8)
            bone.use_local_location, bone.use_deform, bone.use_envelope_multiply = (
                self.chance(0.8),
                self.chance(0.85),
                self.chance(0.15),
            )
            bone.envelope_distance, bone.head_radius, bone.tail_radius = (self.random.uniform(0, 1.5) for _ in range(3))
            if self.chance(0.2):
                bone.bbone_segments, bone.bbone_curveinx = self.random.randint(2, 6), self.random.uniform(-1, 1)
                bone.bbone_mapping_mode = "STRAIGHT"
        for bone in armature.pose.bones:
            bone.rotation_mode = "XYZ"
            bone.location, bone.rotation_euler = self.vector(1), self.vector(3)
            bone.scale = [self.random.uniform(0.3, 2) for _ in range(3)]
        return armature

    def weights(self):
        """Sums from nothing to several; groups without a bone."""
        bones = [f"b{i}" for i in range(6)]
        for group in (*bones, "nobody", "mask"):
            share = self.random.choice((0, 0.2, 0.5, 1))
            weigh(
                self.obj,
                {
                    group: {
                        v: self.random.choice((0.0, 1.0, 0.5, 1e-5, self.random.random()))
                        for v in range(len(self.obj.data.vertices))
                        if self.chance(share)
                    }
                },
            )

    def modifiers(self):
        """With two armatures the second blends with the first; one after the other has no linear blend (see test_not_linear)."""
        for number, armature in enumerate(self.armatures):
            deform(
                self.obj,
                armature,
                vertex_group="mask" if self.chance(0.4) else "",
                invert_vertex_group=self.chance(0.5),
                use_bone_envelopes=self.chance(0.4),
                use_vertex_groups=self.chance(0.85),
                use_multi_modifier=number > 0,
            )

    def keys(self):
        self.obj.shape_key_add(name="Basis")
        for number in range(self.random.randint(1, 3)):
            key = self.obj.shape_key_add(name=f"key {number}", from_mix=False)
            for point in key.data:
                point.co.x += self.random.uniform(-0.3, 0.3)
            key.value, key.mute = self.random.random(), self.chance(0.2)
