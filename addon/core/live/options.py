"""What the user can turn while the scene is live."""

from __future__ import annotations

from dataclasses import dataclass

from ..cluster_tree.build import DEFAULT_CLUSTER_SIZE


@dataclass(frozen=True)
class LiveOptions:
    """Settings of live culling. Two groups: those of `structure` need new GPU tables when they change, the others act in the next
    frame.

    Attributes
    ----------
    device : {"gpu", "cpu"}
        What culls. "gpu" falls back to "cpu" where there is no usable GPU, and says so.
    cluster_size : int
        Instances to a leaf of the cluster tree, 1 to 1024.
    bounds_scale : float
        Grows every instance's sphere and box.
    cull_distance : float
        In scene units, for instances without a cull radius of their own; 0: no limit.
    lod_bias : float
        Added to each instance's own; +1 halves the screen size that counts.
    forced_lod : int or None
    group_size : {64, 128, 256} or None
        Threads to a GPU work group; None: what suits the device.
    rule : str
        GLSL of a custom rule; empty for none.
    slices : int
        Each frame refreshes about one in so many of the blocks; 1: all.
    """

    device: str = "gpu"
    cluster_size: int = DEFAULT_CLUSTER_SIZE
    bounds_scale: float = 1.0
    cull_distance: float = 0.0
    lod_bias: float = 0.0
    forced_lod: int | None = None
    group_size: int | None = None
    rule: str = ""
    slices: int = 1

    @property
    def structure(self) -> tuple:
        """What tables and passes are made for; all but `slices`, which the scheduler alone reads."""
        return (self.device, self.cluster_size, self.bounds_scale, self.cull_distance, self.lod_bias, self.forced_lod, self.group_size,
                self.rule)
