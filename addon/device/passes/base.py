"""What all passes share: binding and dispatch."""

from __future__ import annotations

from ..shader_library import ShaderKey, ShaderLibrary


class Pass:
    """A compute shader with the tables it works on.

    Parameters
    ----------
    library : ShaderLibrary
    key : ShaderKey
    resources : sequence
        Tables and uniforms, anything with ``bind(shader)``; kept alive with the pass.
    threads : int
        How many threads the work needs; whole groups are dispatched.
    """

    def __init__(self, library: ShaderLibrary, key: ShaderKey, resources, threads: int):
        self.key, self.resources = key, tuple(resources)
        self.groups = _grid(-(-threads // key.group_size), library.capabilities.max_groups)
        self.shader = library.get(key) if self.groups[0] else None

    def run(self) -> None:
        """Queue the pass. Blender puts the memory barrier between passes itself."""
        if self.shader is None:
            return
        import gpu

        self.shader.bind()
        for resource in self.resources:
            resource.bind(self.shader)
        gpu.compute.dispatch(self.shader, *self.groups, 1)

    @staticmethod
    def finish() -> None:
        """Unbind what the last pass left bound: freeing a bound shader can crash Blender."""
        import gpu

        gpu.shader.unbind()


def _grid(groups: int, limit: int) -> tuple:
    """(x, y) work groups of at least `groups`, in as few rows as the limit along one axis allows."""
    rows = max(-(-groups // limit), 1)
    return -(-groups // rows), rows
