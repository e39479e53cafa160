"""Indices past a character's segment read nothing of others': the vertex follows the object, and it is counted."""

import numpy as np
from gpuscene.core.skinning import pack
from gpuscene.core.skinning.surface import on_vertices
from gpuscene.device.skinning import Level, SkinDevice
from skin_crowd import pose
from skin_factory import random_skin


def test_guarded_vertices_follow_the_object(device, transport):
    skin = random_skin(1, 50)
    each = Level(pack(skin), on_vertices(50))
    skins = SkinDevice(transport)
    skins.add("a", [each])
    skins.add("b", [Level(pack(random_skin(2, 50)), on_vertices(50))])
    matrices = pose(5)
    skins.pose("a", matrices)
    skins.pose("b", np.full((7, 3, 4), np.nan))  # who read there would show it
    words = skins.tables.weights.rows[skins.tables.entries["a"].words[0].rows].reshape(50, 2)
    damaged = [3, 17, 49]
    words[damaged, 0] = 0xFF000007  # influence 0 is bone 7 of 7, influence 3 bone 255
    skins.tables.weights.write(skins.tables.entries["a"].words[0], words.reshape(-1))
    skins.upload()
    skins.run()
    assert skins.guarded_count() == 6
    found = skins.positions("a")
    own = skin.rest.astype(np.float64) @ matrices[-1][:, :3].T + matrices[-1][:, 3]
    assert np.abs(found[damaged] - own[damaged]).max() < 1e-5
    others = np.setdiff1d(np.arange(50), damaged)
    assert np.isfinite(found).all() and np.abs(found[others] - own[others]).max() > 0.1
    skins.remove("a")
    assert skins.guarded_count() == 0
