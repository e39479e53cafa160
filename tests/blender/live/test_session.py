"""A running session: what a redraw costs, what two views share, whose camera culls, and what the settings do."""

from dataclasses import replace

import bpy
import numpy as np
import pytest
from builders import add, fan, trs


def _visible(state, tables):
    """Names of what a view kept."""
    rows = state.live.visible_rows()
    return {tables.names[tables.sources[slot]] for slot in np.flatnonzero(rows)}


def _expected(live, looks):
    """Names of the objects whose mesh reaches before every plane of a camera, vertex by vertex: kept at least."""
    planes, found = looks.planes(), set()
    for obj in bpy.data.objects:
        if obj.type == "MESH" and obj.visible_get():
            points = np.array([tuple(obj.matrix_world @ v.co) for v in obj.data.vertices])
            if ((planes[:, :3] @ points.T + planes[:, 3:]) >= 0).all(axis=0).any():
                found.add(obj.name)
    return found


def test_an_idle_redraw_dispatches_nothing(grid):
    session = grid.running
    first = grid.redraw()
    count, stats = session.dispatches, first.stats
    assert count > 0 and session.frame == 1
    for _ in range(5):
        grid.redraw()
    assert session.dispatches == count and session.frame == 6 and len(session.history) == 1
    assert grid.redraw().stats is stats
    grid.redraw(looks=grid.camera((0, -20, 6)))
    assert session.dispatches > count
    count = session.dispatches
    bpy.data.objects["object 20"].location.x += 1
    bpy.context.view_layer.update()
    grid.redraw(looks=grid.camera((0, -20, 6)))
    assert session.dispatches > count and session.upload.bytes >= 0
    count = session.dispatches
    bpy.data.objects["object 20"].select_set(True)  # the scene is marked, and nothing that is drawn has changed
    bpy.context.view_layer.update()
    grid.redraw(looks=grid.camera((0, -20, 6)))
    assert session.dispatches == count


def test_two_views_have_two_results(grid):
    session = grid.running
    left, right = grid.camera((-60, -20, 5), (-60, 0, 0)), grid.camera((60, -20, 5), (60, 0, 0))
    one, other = grid.redraw(1, left), grid.redraw(2, right)
    assert session.frame == 1 and set(session.views) == {1, 2}
    for state, looks in ((one, left), (other, right)):
        kept = _visible(state, session.tables)
        assert _expected(grid, looks) <= kept and 0 < len(kept) < 20
    assert _visible(one, session.tables).isdisjoint(_visible(other, session.tables))
    count = session.dispatches
    grid.redraw(1, left), grid.redraw(2, right)
    assert session.dispatches == count and session.frame == 2
    session.keep_only({2})  # the first region was closed
    assert set(session.views) == {2} and session.dispatches == count
    assert _visible(grid.redraw(1, left), session.tables) == _visible(one, session.tables)


def test_a_frozen_camera_culls_for_every_view(grid):
    session = grid.running
    left, right = grid.camera((-60, -20, 5), (-60, 0, 0)), grid.camera((60, -20, 5), (60, 0, 0))
    kept = _visible(grid.redraw(1, left), session.tables)
    session.freeze(left)
    session.configure(settings=replace(session.settings, camera="frozen"))
    for key in (1, 2):
        state = grid.redraw(key, right)
        assert state.source == "frozen" and state.camera is left and _visible(state, session.tables) == kept
    session.unfreeze()
    session.configure(settings=replace(session.settings, camera="view"))
    assert _visible(grid.redraw(1, right), session.tables).isdisjoint(kept)


def test_frozen_without_a_moment_takes_the_view_that_is_drawn(grid):
    session = grid.running
    session.configure(settings=replace(session.settings, camera="frozen"))
    left, right = grid.camera((-60, -20, 5), (-60, 0, 0)), grid.camera((60, -20, 5), (60, 0, 0))
    grid.redraw(1, left)
    assert grid.redraw(1, right).camera is left


def test_the_scene_camera_culls(grid):
    session = grid.running
    session.configure(settings=replace(session.settings, camera="scene"))
    left, right = grid.camera((-60, -20, 5), (-60, 0, 0)), grid.camera((60, -20, 5), (60, 0, 0))
    state = session.redraw_view(1, left, None, right)
    assert (state.camera, state.source) == (right, "scene")
    state = session.redraw_view(1, left, None, None)  # a scene without a camera
    assert (state.camera, state.source) == (left, "view")


def test_every_third_frame_uploads_and_the_jitter_is_told(grid):
    session = grid.running
    session.configure(settings=replace(session.settings, update_every=3))
    for _ in range(3):
        grid.redraw()
    assert session.frame == 3 and not session.is_waiting and session.jitter_metres == 0
    seen = []
    for i in range(1, 7):
        bpy.data.objects["object 03"].location.z = 2.0 * i
        bpy.context.view_layer.update()
        grid.redraw()
        seen.append((session.frame, session.is_waiting, round(session.jitter_metres, 4)))
    assert seen == [(4, True, 2), (5, True, 4), (6, False, 0), (7, True, 2), (8, True, 4), (9, False, 0)]


def test_channels_of_the_export(grid):
    """Another registry makes other values of what is there; one that makes no sense is told, and the last one stays."""
    session, channels = grid.running, bpy.context.scene.gpuscene.channels
    bpy.data.objects["object 05"]["weight"] = 7.0
    item = channels.add()
    item.index, item.label, item.source, item.name = 3, "weight", "PROPERTY", "weight"
    grid.update()
    assert session.tables.data["custom_data"][session.slot_of("object 05")].reshape(8)[3] == 7 and grid.differences() == []
    channels.add().index = 3
    grid.update()
    assert "listed twice" in session.notes[0] and session.tables.channels[0].label == "weight"


def test_an_empty_scene_and_its_first_object(live):
    session = live.start()
    state = live.redraw()
    assert session.tables.count == 0 and state.stats.visible == 0
    add("first", fan("fan"))
    bpy.context.view_layer.update()
    state = live.redraw()
    assert state.stats.visible == 1 and _visible(state, session.tables) == {"first"}
    bpy.data.objects.remove(bpy.data.objects["first"])
    bpy.context.view_layer.update()
    assert live.redraw().stats.visible == 0 and live.differences() == []


def test_options_act_at_once(grid):
    session = grid.running
    everything = grid.camera((0, -400, 5))
    assert grid.redraw(looks=everything).stats.visible == 40
    session.configure(replace(session.options, cull_distance=401.0))
    state = grid.redraw(looks=everything)
    near = {f"object {i:02}" for i in range(40) if np.hypot(np.hypot(5 * (i - 20), 400), 5) < 399}
    far = {f"object {i:02}" for i in range(40) if np.hypot(np.hypot(5 * (i - 20), 400), 5) > 403}
    kept = _visible(state, session.tables)
    assert near <= kept and kept.isdisjoint(far) and far
    session.configure(replace(session.options, cull_distance=0.0, cluster_size=2))
    assert grid.redraw(looks=everything).stats.visible == 40 and len(session.clusters.tree.nodes) > 20


def test_explain_says_what_the_culler_did(grid):
    session = grid.running
    with pytest.raises(grid.session.GpuSceneError, match="No 3D View"):
        session.explain(0)
    state = grid.redraw(looks=grid.camera((-60, -20, 5), (-60, 0, 0)))
    visible = state.live.visible_rows()
    for slot in range(session.tables.capacity):
        assert session.explain(slot, 1).drawn == visible[slot]
    bpy.data.objects["object 39"].hide_viewport = True
    bpy.context.view_layer.update()
    slot = session.slot_of("object 39")
    grid.redraw(looks=grid.camera((60, -20, 5), (60, 0, 0)))
    assert not session.explain(slot, 1).drawn and "hidden" in session.explain(slot, 1).reason.lower()


def test_compaction_keeps_the_picture(grid):
    session = grid.running
    for i in range(0, 40, 2):
        bpy.data.objects.remove(bpy.data.objects[f"object {i:02}"])
    bpy.context.view_layer.update()
    looks = grid.camera((0, -60, 5))
    before = _visible(grid.redraw(looks=looks), session.tables)
    assert session.tables.fragmentation == pytest.approx(0.5)
    session.compact()
    assert session.tables.fragmentation == 0 and _visible(grid.redraw(looks=looks), session.tables) == before


def test_many_holes_compact_between_frames(live):
    mesh = fan("fan")
    for i in range(1200):
        add(f"object {i}", mesh, location=(i, 0, 0))
    session = live.start()
    live.redraw()
    for i in range(0, 1200, 2):
        bpy.data.objects.remove(bpy.data.objects[f"object {i}"])
    bpy.context.view_layer.update()
    state = live.redraw()
    assert session.tables.fragmentation == 0 and session.tables.count == 600
    assert _visible(state, session.tables) >= _expected(live, live.camera())


def test_slices_settle(grid):
    """With slices an unmoved view goes on until every block is of this view, and no longer."""
    session = grid.running
    session.configure(replace(session.options, slices=4))
    for _ in range(12):
        state = grid.redraw()
    assert not state.is_pending
    count = session.dispatches
    grid.redraw()
    assert session.dispatches == count
    assert _visible(state, session.tables) >= _expected(grid, grid.camera())


def test_settings_come_from_the_scene(grid):
    session, group = grid.running, bpy.context.scene.gpuscene_live
    group.camera, group.update_every, group.cluster_size, group.device = "FROZEN", 4, 8, "CPU"
    session.read_settings(bpy.context.scene)
    assert (session.settings.camera, session.settings.update_every, session.options.cluster_size) == ("frozen", 4, 8)
    group.camera = "VIEW"
    session.read_settings(bpy.context.scene)
    assert session.settings.camera == "view" and session.frozen is None


def test_stats_are_counted(grid):
    stats = grid.redraw(looks=grid.camera((0, -400, 5))).stats
    assert (stats.instances, stats.visible, stats.triangles_total, stats.triangles_submitted) == (40, 40, 40 * 3, 40 * 3)
    assert (stats.draw_arguments, stats.draw_count) == (1, 1)
    bpy.data.objects["object 39"].hide_viewport = True
    bpy.context.view_layer.update()
    stats = grid.redraw(looks=grid.camera((0, -400, 5))).stats
    assert (stats.instances, stats.visible, stats.triangles_total) == (39, 39, 39 * 3)


def test_the_gpu_and_the_cpu_say_the_same(grid, request):
    from gpuscene.device import capabilities

    why = capabilities.why_none()
    if why:
        request.getfixturevalue("lacking")("GPU", why)
    session = grid.running
    looks = grid.camera((-60, -20, 5), (-60, 0, 0))
    on_cpu = grid.redraw(looks=looks)
    kept, words = on_cpu.live.visible_rows().copy(), on_cpu.live.status_rows().copy()
    session.configure(replace(session.options, device="gpu"))
    on_gpu = grid.redraw(looks=looks)
    assert session.device.kind == "gpu" and np.array_equal(on_gpu.live.visible_rows(), kept)
    assert np.array_equal(on_gpu.live.status_rows(), words)
    moved = bpy.data.objects["object 08"]
    moved.matrix_world = trs((-60, 2, 0), (10, 20, 30), (2, -1, 1))
    bpy.context.view_layer.update()
    kept = grid.redraw(looks=looks).live.visible_rows()
    assert not session.upload.whole and session.upload.bytes < 20_000
    session.configure(replace(session.options, device="cpu"))
    assert np.array_equal(grid.redraw(looks=looks).live.visible_rows(), kept)
