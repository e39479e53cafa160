"""What the live scene uploads: changed records and one pass that scatters them, against everything anew."""

from __future__ import annotations

import numpy as np

from ..core.culling.decide import instance_visible
from ..core.live.options import LiveOptions
from .live_scene import live_scene, move
from .measure import paired, seconds

#: shares of scattered changes at which the two ways are compared
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)


def run(instances: int, changed: float, runs: int, tell=lambda text: None) -> list:
    """A result for each transport of this Blender; seconds are medians of `runs`, ratios medians of pairs run in turns.

    Raises
    ------
    DeviceError
        There is no GPU.
    """
    from ..device import capabilities

    return [_measure(instances, changed, runs, transport, tell) for transport in capabilities.start().transports]


def _measure(instances, changed, runs, transport, tell) -> dict:
    from ..device.live.scene import LiveDevice

    tell(f"live scene, {transport}")
    tables, clusters = live_scene(instances)
    device = LiveDevice(tables, clusters, LiveOptions(), transport)
    view, rng = device.view(), np.random.default_rng(0)

    def timed(share, whole):
        """Moves so many, then the seconds of bringing the GPU in step."""
        slots = np.sort(rng.choice(np.flatnonzero(tables.alive), max(int(instances * share), 1), replace=False))
        move(tables, slots, int(rng.integers(1 << 30)))
        clusters.refit(slots)
        done = []

        def work():
            done.append(device.upload(slots, whole))
            view.wait()

        return seconds(work), done[0].bytes

    bytes_some, bytes_all = timed(changed, False)[1], timed(changed, True)[1]
    some, everything, times = paired(lambda: timed(changed, False)[0], lambda: timed(changed, True)[0], runs)
    by_share = {share: paired(lambda: timed(share, False)[0], lambda: timed(share, True)[0], 3) for share in SHARES}
    _check(tables, view)
    return {
        "transport": transport, "renderer": device.renderer, "backend": device.backend,
        "bytes": bytes_some, "all_bytes": bytes_all, "bytes_share": bytes_some / bytes_all,
        "seconds": some, "all_seconds": everything, "time_share": 1 / times,
        "time_share_by_changed": {share: 1 / ratio for share, (_, _, ratio) in by_share.items()},
    }


def _check(tables, view):
    """What the GPU culls after all those uploads is what numpy tests."""
    from .cull import views

    camera = views(tables.bounds)["5 %"]
    view.cull(camera)
    if not np.array_equal(view.visible_rows(), instance_visible(camera, tables.bounds)):
        raise AssertionError("what was uploaded is not what changed")


def line(row: dict) -> str:
    """The figures of one transport as a line of text."""
    shares = ", ".join(f"{share:.0%}: {part:.0%}" for share, part in row["time_share_by_changed"].items())
    return (
        f"  live    {row['seconds'] * 1e3:9.2f} ms for {row['bytes']:,} bytes, all {row['all_bytes']:,} bytes "
        f"{row['all_seconds'] * 1e3:.2f} ms: {row['bytes_share']:.1%} of the bytes, {row['time_share']:.1%} of the time "
        f"({row['renderer']}, {row['backend']}, {row['transport']})\n          time by share changed: {shares}"
    )
