"""A short way to write a node tree down: `node` makes one, sets its properties and wires its inputs."""

from __future__ import annotations

import bpy


class Tree:
    """A Geometry Nodes group under construction, with one geometry input and one geometry output."""

    def __init__(self, name: str, **inputs):
        """`inputs` maps an exposed input's name to its (socket type, default)."""
        self.group = bpy.data.node_groups.new(name, "GeometryNodeTree")
        self.group.is_modifier = True
        self.group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
        self.group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        for title, (kind, default) in inputs.items():
            socket = self.group.interface.new_socket(title, in_out="INPUT", socket_type=kind)
            if default is not None:
                socket.default_value = default
        self.input = self.group.nodes.new("NodeGroupInput").outputs
        self._place(self.group.nodes[-1])

    def _place(self, made):
        # A readable left-to-right grid in the editor; wiring is what counts.
        index = len(self.group.nodes) - 1
        made.location = (220 * (index // 4), -260 * (index % 4))

    def node(self, kind: str, properties: dict | None = None, **inputs):
        """A node of type `kind`; `inputs` (names with "_" for " ", or ``i0``, ``i1``..) take a value or an output socket."""
        made = self.group.nodes.new(kind)
        self._place(made)
        for name, value in (properties or {}).items():
            setattr(made, name, value)
        for name, value in inputs.items():
            socket = made.inputs[int(name[1:])] if name[0] == "i" and name[1:].isdigit() else self._enabled(made.inputs, name)
            if isinstance(value, bpy.types.NodeSocket):
                self.group.links.new(value, socket)
            else:
                socket.default_value = value
        return made

    @staticmethod
    def _enabled(sockets, name):
        title = name.replace("_", " ")
        return next(s for s in sockets if s.name == title and s.enabled)

    def value(self, kind: str, properties: dict | None = None, **inputs):
        """The first enabled output of such a node."""
        return next(s for s in self.node(kind, properties, **inputs).outputs if s.enabled)

    def math(self, operation: str, a, b=0.0):
        """The output of a Math node."""
        return self.value("ShaderNodeMath", {"operation": operation}, i0=a, i1=b)

    def random(self, low, high, seed: int, kind: str = "FLOAT"):
        """A random value a point, by the point's id."""
        return self.value("FunctionNodeRandomValue", {"data_type": kind}, Min=low, Max=high, Seed=seed)

    def finish(self, geometry):
        """Wires `geometry` to the group's output and returns the group."""
        out = self.group.nodes.new("NodeGroupOutput")
        self._place(out)
        self.group.links.new(geometry, out.inputs[0])
        return self.group
