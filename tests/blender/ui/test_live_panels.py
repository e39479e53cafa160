"""The live panels draw settings and ready strings; the view's strings are made from measurements."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from gpuscene.blender.live import model, panels, presenter
from gpuscene.blender.live.settings import SHOWN_REASONS, OverlayOptions
from gpuscene.core import palette
from gpuscene.core.live import explain, explain_tests
from gpuscene.core.live.metrics import FrameStats, History, dashboard
from gpuscene.core.live.status import REASONS

STATS = FrameStats(frame=7, upload_ms=2.5, bytes_uploaded=2048, instances=1000, visible=700, triangles_submitted=12,
                   triangles_total=24, draw_arguments=1, draw_count=2, fragmentation=0.5, channels_used=4)
VIEW_KEY = 4711


@pytest.fixture
def context(ui):
    """A context that offers a scene's live settings, and a 3D View by its number: a draw() that looks further fails."""
    region = SimpleNamespace(as_pointer=lambda: VIEW_KEY)
    yield SimpleNamespace(scene=SimpleNamespace(gpuscene_live=bpy.context.scene.gpuscene_live),
                          space_data=SimpleNamespace(type="VIEW_3D", region_3d=region))
    model.clear()
    model.set_error("")


def history_of(*milliseconds):
    history = History()
    for frame, ms in enumerate(milliseconds):
        history.append(FrameStats(frame=frame, upload_ms=ms, instances=10, visible=frame, bytes_uploaded=100 * frame))
    return history


def test_drawing_changes_nothing(ui, context):
    model.publish(VIEW_KEY, presenter.view_model(STATS, history_of(1.0), OverlayOptions(), "view", "GPU"))
    before = ui.snapshot(context.scene.gpuscene_live)
    for panel in panels.CLASSES:
        ui.draw(panel, context)
    context.scene.gpuscene_live.rule = "TEXT"
    ui.draw(panels.GPUSCENE_PT_culling, context)
    context.scene.gpuscene_live.rule = "NONE"
    assert ui.snapshot(context.scene.gpuscene_live) == before


def test_every_setting_is_on_a_panel(ui, context):
    context.scene.gpuscene_live.rule = "TEXT"
    drawn = set()
    for panel in panels.CLASSES:
        recorder = ui.draw(panel, context)
        drawn |= set(recorder.properties()) | {args[1] for function, args, _ in recorder.calls if function == "template_ID"}
    names = set(type(context.scene.gpuscene_live).__annotations__)
    assert drawn == names


def test_nothing_runs_until_start_is_pressed(ui, context):
    recorder = ui.draw(panels.GPUSCENE_PT_live, context)
    assert recorder.texts()[0] == "Start"
    assert ui.draw(panels.GPUSCENE_PT_dashboard, context).texts() == ["Press Start to measure"]


def test_the_dashboard_has_red_rows_first_and_their_advice(ui, context):
    model.publish(VIEW_KEY, presenter.view_model(STATS, history_of(1.0), OverlayOptions(), "frozen", "CPU"))
    texts = ui.draw(panels.GPUSCENE_PT_dashboard, context).texts()
    assert texts[:2] == ["Culled for the frozen camera", "CPU"]
    rows = dashboard(STATS)
    values = {row.label: row.value for row in rows}
    in_order = [text for text in texts if text in values]
    # 2.5 ms and half of the slots are red, 70 % visible is yellow
    assert in_order[:3] == ["Upload Time", "Index Fragmentation", "Visibility Fill Rate"] and set(in_order) == set(values)
    for label, value in values.items():
        assert texts[texts.index(label) + 1] == value
    advice = " ".join(texts[texts.index("2.50 ms") + 1:texts.index("Index Fragmentation")])
    assert advice == next(row.advice for row in rows if row.label == "Upload Time")
    assert next(row.advice for row in rows if row.label == "Visibility Fill Rate") in " ".join(texts)  # yellow tells, too
    assert max(map(len, texts)) <= 40  # nothing is longer than the sidebar is wide


def test_figures_of_an_earlier_frame_say_so_and_are_asked_for(ui, context, monkeypatch):
    asked = []
    monkeypatch.setattr(model, "redraw_views", lambda: asked.append(1))
    monkeypatch.setattr(model, "_watched_at", -1e9)
    for frame, says in ((7, []), (9, ["As of frame 7"])):
        model.publish(VIEW_KEY, presenter.view_model(STATS, history_of(1.0), OverlayOptions(), "view", "GPU", frame=frame))
        texts = ui.draw(panels.GPUSCENE_PT_dashboard, context).texts()
        assert [text for text in texts if text.startswith("As of")] == says and "Upload Time" in texts
        assert model.figures_are_watched() and asked == [1] * len(says)
    model.publish(VIEW_KEY, presenter.view_model(None, History(), OverlayOptions(), "view", "GPU", frame=1))
    assert ui.draw(panels.GPUSCENE_PT_dashboard, context).texts() == ["Culled for this view", "GPU"] and asked == [1, 1]


def test_another_view_shows_its_own(ui, context):
    model.publish(VIEW_KEY + 1, presenter.view_model(STATS, history_of(1.0), OverlayOptions(), "view", "GPU"))
    assert model.of_context(context) is None
    assert model.of(VIEW_KEY + 1).headline == "Culled for this view"
    model.clear()
    assert model.of(VIEW_KEY + 1) is None


def test_an_explanation_is_laid_out_in_lines(ui, context):
    tests = (explain_tests.Test("Visibility", True, "Shown."),
             explain_tests.Test("Sphere", False, "Its bounding sphere lies 3 m behind it."))
    explanation = explain.Explanation("Tree (slot 4)", False, "It lies 3 m behind the left plane of the view's frustum.",
                                      "Turn the view to it.", tests, 3)
    model.set_explained(model.explain_view(explanation))
    recorder = ui.draw(panels.GPUSCENE_PT_explain, context)
    texts = recorder.texts()
    assert "Tree (slot 4)" in texts
    assert explanation.reason in " ".join(texts) and explanation.remedy in " ".join(texts)
    icons = [kwargs.get("icon") for _, _, kwargs in recorder.calls if kwargs.get("text", "").startswith(("Visibility", "Sphere"))]
    assert icons == ["CHECKMARK", "X"]
    copied = model.explained().text
    assert "not drawn" in copied and "failed  Sphere: Its bounding sphere lies 3 m behind it." in copied


def test_an_explanation_of_an_earlier_frame_says_so(ui, context):
    explanation = explain.Explanation("Tree (slot 4)", True, "Drawn.", "", (), 0)
    for culled_in, says in ((7, False), (8, True)):
        stats = FrameStats(frame=culled_in, instances=1, visible=1)
        model.publish(VIEW_KEY, presenter.view_model(stats, history_of(1.0), OverlayOptions(), "view", "GPU"))
        model.set_explained(model.explain_view(explanation, VIEW_KEY, 7))
        texts = ui.draw(panels.GPUSCENE_PT_explain, context).texts()
        assert ("Culled again since: pick anew" in texts) == says


def test_an_error_is_shown_under_the_button(ui, context):
    model.set_error("The rule does not compile: line 3: unknown name. Correct it.")
    texts = ui.draw(panels.GPUSCENE_PT_live, context).texts()
    assert "The rule does not compile: line 3: unknown name. Correct it." in " ".join(texts)


def test_a_rule_that_does_not_compile_is_named_where_it_is_chosen(ui, context):
    error = "custom rule, line 1: cannot access field `positon' of structure."
    model.publish(VIEW_KEY, presenter.view_model(STATS, history_of(1.0), OverlayOptions(), "view", "GPU", rule_error=error))
    recorder = ui.draw(panels.GPUSCENE_PT_culling, context)
    assert f"{error} Until it compiles no rule acts." in " ".join(recorder.texts())
    context.scene.gpuscene_live.rule = "TEXT"
    assert "No text yet: no rule acts" in ui.draw(panels.GPUSCENE_PT_culling, context).texts()


@pytest.mark.parametrize("mode", palette.MODES)
def test_the_legend_has_the_colours_of_the_overlay(mode):
    rows = presenter.legend(OverlayOptions(mode=mode, clusters=True), "scene", lods=3)
    titles = [text for color, text in rows if color is None]
    assert titles == [presenter.MODE_TITLES[mode], "Clusters", "Camera"]
    colours = [row for row in rows[1:rows.index((None, "Clusters"))]]
    if mode == "batch":
        assert colours == [palette.legend(mode)[-1]] and colours[-1][1] == "Not drawn"
    elif mode != "visibility":
        assert colours == list(palette.legend(mode, 3))
    else:
        shown = [color for color, _ in colours]
        assert shown == [tuple(palette.REASON_COLORS[REASONS.index(name)]) for name in ("visible", "frustum", "distance", "rule")]
        with_late = presenter.legend(OverlayOptions(), "view", sliced=True)
        assert tuple(palette.REASON_COLORS[REASONS.index("late")]) in [color for color, _ in with_late]


def test_the_legend_follows_the_filter_and_the_toggles():
    assert presenter.legend(OverlayOptions(instances=False), "view") == ()
    only = presenter.legend(OverlayOptions(reasons=("hidden",)), "view")
    assert [text for _, text in only] == ["Visibility", "Hidden or invalid"]
    bits = OverlayOptions(reasons=SHOWN_REASONS).reason_bits
    assert bits == palette.reason_bits()


def test_the_plot_ends_with_the_last_frame():
    history = history_of(*([0.5] * 300), 4.0)
    upload, visible, sent = presenter.plot(history)
    assert len(upload.heights) == 240
    assert upload.heights[-1] == 1.0 and upload.heights[0] == np.float32(0.125)
    assert upload.guides == ((0.25, "warn"), (0.5, "bad"))  # 1 ms and 2 ms of 4
    assert upload.value == "4.00 ms, at most 4.00 ms"
    assert visible.guides == ((0.6, "warn"), (0.8, "bad"))
    assert sent.heights[-1] == 1.0 and sent.heights[0] == np.float32(61 / 300)
    assert presenter.plot(History()) == ()
