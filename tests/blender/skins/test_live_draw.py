"""What is drawn: particles are at the pixels that their positions project to, in the colours of their mode, on both devices."""

import bpy
import numpy as np
import pytest
import skin_live

SIZE = 240, 240
#: orthographic, looking along +Y: 8 m wide and high, its middle at (0, 0, 2)
CLIP = np.array([[0.25, 0, 0, 0], [0, 0, 0.25, -0.5], [0, 0.05, 0, 0], [0, 0, 0, 1]], float)


@pytest.fixture
def drawn(skins, lacking):
    """``drawn(session)`` -> (H, W, 3) float of the particles on black, the bottom row first."""
    from gpuscene.device import capabilities

    if why := capabilities.why_none():
        lacking("GPU", why)
    import gpu

    def draw(session):
        target = gpu.types.GPUOffScreen(*SIZE, format="RGBA8")
        try:
            with target.bind():
                gpu.state.active_framebuffer_get().clear(color=(0, 0, 0, 1), depth=1.0)
                session.stage.draw(CLIP, SIZE, 1.0, session.settings)
                pixels = np.frombuffer(target.texture_color.read(), np.uint8).reshape(SIZE[1], SIZE[0], 4).copy()
        finally:
            target.free()
        return pixels[..., :3].astype(float)

    return draw


def pixels_of(positions):
    """(N, 2) float: where world positions are in the picture, by hand: 30 pixels a metre."""
    return np.stack((120 + 30 * positions[:, 0], 120 + 30 * (positions[:, 2] - 2)), axis=1)


def lit(picture):
    """(K, 2) centres of pixels that are not black."""
    rows, columns = np.nonzero(picture.sum(axis=2) > 60)
    return np.stack((columns + 0.5, rows + 0.5), axis=1)


def test_they_are_where_their_positions_project_to(skins, drawn):
    obj = skin_live.root_motion()
    bpy.context.scene.frame_set(5)
    session = skins.start(obj, color="plain", plain=(1, 0.5, 0, 1), size=5.0)
    picture = drawn(session)
    places, seen = pixels_of(session.positions(obj.session_uid)), lit(picture)
    assert 100 < len(seen) < 4000
    # Particles in the picture are on lit pixels, but for those under a nearer one's soft edge; lit pixels are by a particle.
    inside = places[((places > 2) & (places < 238)).all(axis=1)]
    assert len(inside) > 200
    assert (picture[inside[:, 1].astype(int), inside[:, 0].astype(int)].sum(axis=1) > 60).mean() > 0.95
    assert max(np.abs(places - pixel).max(axis=1).min() for pixel in seen) < 3.6
    brightest = picture.reshape(-1, 3)[picture.sum(axis=2).argmax()]
    assert brightest == pytest.approx((255, 128, 0), abs=3)


def test_the_debug_offset_moves_all_as_one(skins, drawn):
    from dataclasses import replace

    obj = skin_live.keyed()
    session = skins.start(obj, color="plain", size=3.0)
    before = drawn(session)
    session.configure(replace(session.settings, offset=(2.0, 0.0, -1.0)))
    after = drawn(session)
    assert len(lit(before)) > 100
    # 2 m are 60 pixels, 1 m 30 down
    assert np.abs(np.roll(before, (-30, 60), axis=(0, 1)) - after).max() <= 80
    assert lit(after).mean(axis=0) - lit(before).mean(axis=0) == pytest.approx((60, -30), abs=0.2)


def test_trails_draw_past_poses_and_fade(skins, drawn):
    obj, armature = skin_live.character()
    skin_live.key(armature, "location", {1: (-2, 0, 0), 5: (2, 0, 0)})
    for curve in skin_live.curves(armature):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    session = skins.start(obj, color="plain", plain=(1, 1, 1, 1), size=3.0, trail=3)
    for frame in range(1, 6):
        bpy.context.scene.frame_set(frame)
        session.redraw(bpy.context.view_layer.depsgraph)
    picture = drawn(session)
    heights = [picture[:, 120 + 30 * x - 9:120 + 30 * x + 9].max() for x in (2, 1, 0, -1, -2)]
    assert heights[0] == pytest.approx(255, abs=3) and heights[0] > heights[1] > heights[2] > 20
    assert heights[3] == heights[4] == 0


def test_bones_have_colours_of_their_own(skins, drawn):
    obj, _ = skin_live.character()
    session = skins.start(obj, color="bone", size=4.0)
    picture = drawn(session)
    # Three bones, a metre each, from the ground up: hues by the golden ratio, as documented.
    for bone, height in ((0, 0.5), (1, 1.5), (2, 2.5)):
        hue = bone * 0.61803399 % 1 * 6
        tint = 0.25 + 0.75 * np.clip((abs(hue - 3) - 1, 2 - abs(hue - 2), 2 - abs(hue - 4)), 0, 1)
        row = round(120 + 30 * (height - 2))
        band = picture[row - 5:row + 5].reshape(-1, 3)
        assert band[band.sum(axis=1).argmax()] == pytest.approx(255 * tint, abs=4), bone


def test_nothing_is_drawn_without_characters(skins, drawn):
    obj = skin_live.keyed()
    session = skins.start(obj)
    obj.hide_set(True)
    session.mark_all()
    session.redraw(skin_live.update())
    assert drawn(session).max() == 0
