"""``gpuscene cull --slices`` over frames in which something moves."""

import numpy as np
from cull_scenes import cull_scene, drawable_flags, with_flags
from gpuscene.cli.culling import Choices
from gpuscene.cli.culling_sliced import SlicedCuller
from gpuscene.cli.views import Frame
from gpuscene.core.culling.projection import camera, perspective
from gpuscene.core.scene import SceneData


def moved(scene, row, position) -> SceneData:
    transforms = scene["instance_transforms"].copy()
    transforms["position"][row] = position
    return SceneData({**scene.tables, "instance_transforms": transforms}, scene.convention, scene.primitive_names, scene.sources)


def test_what_moves_is_refreshed_before_what_rests():
    """Frame 1 refreshes everything. In frame 2 all answers are one frame old, and one instance is lifted out of a narrow view: its cluster goes first."""
    scene = with_flags(cull_scene("town", cull_radius=False), drawable_flags(2048))
    target = scene["instance_transforms"]["position"].mean(axis=0)
    eye = target + (0, -400, 100)
    view = camera("c", perspective(0.6, 1.6, 1, 2000), eye, target)
    culler = SlicedCuller("cpu", Choices(cluster_size=2), 8)
    assert culler.frame(Frame(1, scene, view))["mismatches"] == 0
    assert len(culler.schedule.units) >= 32
    row = int(np.flatnonzero(culler.schedule.visible)[7])
    after = culler.frame(Frame(2, moved(scene, row, target + (0, 0, 5000)), view))
    assert (after["mismatches"], after["false_negatives"]) == (0, 0) and not culler.schedule.visible[row]
    assert after["oldest"] == 1 and 0 < after["instances_tested"] < 2048 / 4
