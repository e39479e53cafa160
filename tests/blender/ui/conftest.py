"""What the tests of the interface share."""

from types import SimpleNamespace

import bpy
import pytest


class Recorder:
    """A UILayout that notes every call and draws nothing.

    Attributes
    ----------
    calls : list of tuple
        ``(function, args, kwargs)`` in drawing order, sub-layouts included.
    operators : list of SimpleNamespace
        What ``operator()`` returned, with the properties that were set on it.
    """

    CONTAINERS = {"row", "column", "box", "split", "grid_flow", "column_flow"}

    def __init__(self, root=None):
        self._root = root or self
        if root is None:
            self.calls, self.operators = [], []

    def __getattr__(self, function):
        def call(*args, **kwargs):
            self._root.calls.append((function, args, kwargs))
            if function in self.CONTAINERS:
                return Recorder(self._root)
            if function == "operator":
                self._root.operators.append(SimpleNamespace(idname=args[0], **kwargs))
                return self._root.operators[-1]
            return None
        return call

    def texts(self):
        """Every text drawn by a label, a button or a progress bar."""
        return [kwargs["text"] for _, _, kwargs in self.calls if "text" in kwargs]

    def properties(self):
        """Names of the properties drawn, in order."""
        return [args[1] for function, args, _ in self.calls if function == "prop"]


def draw(panel, context):
    """Run the panel's ``draw()`` on a `Recorder`, and return it."""
    recorder = Recorder()
    panel.draw(SimpleNamespace(layout=recorder), context)
    return recorder


def snapshot(group):
    """Every value of a property group, nested ones too, as plain values to compare."""
    values = {}
    for prop in group.bl_rna.properties:
        if prop.identifier == "rna_type":
            continue
        value = getattr(group, prop.identifier)
        if prop.type == "COLLECTION":
            value = [snapshot(item) for item in value]
        elif prop.type == "POINTER":
            value = value and value.name
        values[prop.identifier] = value
    return values


@pytest.fixture
def ui():
    """The interface registered in a factory scene (a cube, a camera, a light); the helpers of this file as attributes."""
    from gpuscene.blender import registration, viewmodel
    bpy.ops.wm.read_factory_settings()
    registration.register()
    yield SimpleNamespace(draw=draw, snapshot=snapshot, Recorder=Recorder)
    viewmodel.clear()
    registration.unregister()
