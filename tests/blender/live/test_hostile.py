"""Scenes and users that mean harm: names that change hands, numbers that are none, everything gone at once."""

import bpy

from builders import add, fan


def test_objects_that_exchange_names(live):
    """Blender names both with no flag, and the same names are listed as before."""
    first, second = add("a", fan("f"), location=(1, 0, 0)), add("b", fan("g"), location=(2, 0, 0))
    live.start()
    for _ in range(2):
        first.name, second.name = "elsewhere", first.name
        first.name = "b" if second.name == "a" else "a"
        live.update()
        for obj in (first, second):
            position = live.running.tables.transforms["position"][live.running.slot_of(obj.name)]
            assert position[0] == obj.location.x
        assert live.differences() == []
        first, second = second, first
