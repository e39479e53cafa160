"""Runs inside a windowed Blender: lives through a live session by its real buttons, keys and clicks.

usage: blender live.blend --enable-event-simulate --python drive_live.py -- SCREEN FOLDER ACT...

FOLDER gets NAME.png of the 3D View's area for each picture and answers.json. Each ACT is the name of a function ``act_ACT``
below; they run in the order given and share one window.
"""

import json
import sys
from pathlib import Path

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from driver import MODULE, Window, module, run, wait  # noqa: E402

SCREEN, FOLDER, *ACTS = sys.argv[sys.argv.index("--") + 1:]
answers = {}
window = Window(SCREEN)


def session():
    return module("blender.live.session").current() if f"{MODULE}.addon.blender.live.session" in sys.modules else None


def state():
    """What there is of a session: numbers that can be compared."""
    lists = {name: value for name in dir(bpy.app.handlers) if isinstance(value := getattr(bpy.app.handlers, name), list)}
    live_code = f"{MODULE}.addon.blender.live."
    handlers = sorted(name for name, functions in lists.items() for function in functions
                      if getattr(function, "__module__", "").startswith(live_code))
    keys = [item.idname for keymap in bpy.context.window_manager.keyconfigs.addon.keymaps for item in keymap.keymap_items
            if item.idname.startswith("gpuscene.")]
    live = session()
    seen = {"handlers": handlers, "keys": len(keys), "running": live is not None}
    if f"{MODULE}.addon.blender.live.handlers" in sys.modules:
        seen["installed"] = list(module("blender.live.handlers").installed())
        seen["error"] = module("blender.live.session").last_error()
    if live is not None and live.views:
        stats = live.stats()
        seen |= {"instances": stats.instances, "visible": stats.visible, "camera": live.settings.camera, "views": len(live.views),
                 "kind": live.device.kind, "notes": list(live.notes), "frame": live.frame}
    return seen


def note(name):
    answers[name] = state()


def picture(name):
    """A picture without measurements, which differ from run to run."""
    group = bpy.context.scene.gpuscene_live
    shown, group.show_dashboard = group.show_dashboard, False
    yield from window.move(*window.centre())
    yield from window.drawn()
    window.picture(Path(FOLDER, f"{name}.png"))
    group.show_dashboard = shown


def hero_row():
    """(position in the tables, position by Blender) of the active cube."""
    live, hero = session(), bpy.data.objects["Hero"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    row = live.tables.transforms[live.slot_of("Hero")]
    return [float(x) for x in row["position"][:3]], list(hero.matrix_world.translation)


def act_start():
    """The Start button: the second tall one, below Export."""
    note("before")
    buttons = window.tall_buttons()
    answers["tall_buttons"] = len(buttons)
    yield from window.click(*buttons[1])
    yield from window.drawn(6)
    note("started")


def act_pictures():
    group = bpy.context.scene.gpuscene_live
    group.camera = "SCENE"
    yield from picture("scene_camera")
    group.show_clusters = True
    group.show_instances = False
    yield from picture("clusters")
    group.show_clusters, group.show_instances, group.mode = False, True, "LOD"
    yield from picture("lod")
    group.mode, group.camera, group.cull_distance = "VISIBILITY", "VIEW", 30
    yield from picture("distance")
    group.cull_distance = 0
    yield from window.drawn()


def act_whole():
    """Everything that can stand in the view, to be looked at."""
    group = bpy.context.scene.gpuscene_live
    group.show_plot = group.show_clusters = True
    yield from window.drawn()
    drawn = module("blender.live.hud").picture_of(window.view.as_pointer())
    answers["boxes"] = {name: list(box) for name, box in drawn.boxes.items()}
    answers["spilled"] = [text for left, bottom, right, top, text in drawn.text_boxes() if not any(
        b.left <= left and right <= b.right and b.bottom <= bottom and top <= b.top for b in drawn.boxes.values())]
    answers["free"] = list(module("blender.live.hud").free_box(window.area, window.region()))
    window.picture(Path(FOLDER, "whole.png"))
    group.show_plot = group.show_clusters = False
    yield from window.drawn()


def act_edit():
    """G X 3 Enter over the view, undo, redo; delete and undo."""
    yield from window.move(*window.centre())
    answers["rest"] = hero_row()
    for key in ("G", "X"):
        yield from window.key(key, key.lower())
    yield from window.key("THREE", "3")
    yield from window.key("RET")
    yield from window.drawn()
    answers["moved"] = hero_row()
    answers["moved_bytes"] = session().upload.bytes
    yield from window.key("Z", ctrl=True)
    yield from window.drawn()
    answers["undone"] = hero_row()
    note("after_undo")
    yield from window.key("Z", ctrl=True, shift=True)
    yield from window.drawn()
    answers["redone"] = hero_row()
    before = session().stats().instances
    yield from window.key("DEL")
    yield from window.drawn()
    answers["deleted"] = before - session().tables.count
    yield from window.key("Z", ctrl=True)
    yield from window.drawn()
    answers["undeleted"] = before - session().tables.count


def act_idle():
    """Redraws of an unmoved view."""
    yield from window.drawn()
    before, frame = session().dispatches, session().frame
    yield from window.drawn(5)
    answers["idle"] = {"dispatches": session().dispatches - before, "frames": session().frame - frame}


def act_freeze():
    """The shortcut, then orbit by the middle button: colours stay, the frustum appears."""
    yield from window.move(*window.centre())
    window.view.view_distance = 16
    yield from window.drawn()
    note("looking")
    yield from window.key("F", ctrl=True, shift=True)
    yield from window.drawn()
    x, y = window.centre()
    before = window.view.view_rotation.copy()
    window.view.view_distance = 60
    yield from window.drag("MIDDLEMOUSE", (x, y), (x - 160, y - 60))
    yield from window.drawn()
    answers["turned"] = before.rotation_difference(window.view.view_rotation).angle
    note("frozen")
    yield from picture("frozen")


def act_explain():
    """The shortcut over the cube; then the Pick operator and a click on a ball that is culled."""
    hero = bpy.data.objects["Hero"]
    yield from window.move(*window.place_of(hero.matrix_world.translation))
    yield from window.key("I", ctrl=True, shift=True)
    yield from window.drawn()
    explained = module("blender.live.model").explained()
    answers["hero"] = explained and {"text": explained.text, "drawn": explained.drawn}
    live = session()
    culled = ~next(iter(live.views.values())).live.visible_rows() & live.tables.alive
    balls = [o for o in bpy.data.objects if o.name.startswith("Ball ")]
    target = next(o for o in balls if culled[live.slot_of(o.name)] and can_be_clicked(o))
    answers["aimed_at"] = target.name
    with window.override():
        bpy.ops.gpuscene.explain_pick("INVOKE_DEFAULT")
    yield
    yield from window.click(*window.place_of(target.matrix_world.translation))
    yield from window.drawn()
    explained = module("blender.live.model").explained()
    answers["ball"] = explained and {"text": explained.text, "drawn": explained.drawn}
    answers["selected"] = [o.name for o in bpy.context.selected_objects]


def can_be_clicked(obj):
    """Whether nothing stands before an object's middle, neither in the scene nor in the window."""
    from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d

    region, (x, y) = window.region(), window.place_of(obj.matrix_world.translation)
    place = x - region.x, y - region.y
    if not (0.1 * region.width < place[0] < 0.65 * region.width and 0.1 * region.height < place[1] < 0.8 * region.height):
        return False
    origin, direction = (f(region, window.view, place) for f in (region_2d_to_origin_3d, region_2d_to_vector_3d))
    return bpy.context.scene.ray_cast(bpy.context.evaluated_depsgraph_get(), origin, direction)[4] == obj


def act_thaw():
    yield from window.move(*window.centre())
    yield from window.key("F", ctrl=True, shift=True)
    window.view.view_distance = 34
    yield from window.drawn()
    note("thawed")


def act_record():
    """The whole range; then again, ended by Esc."""
    scene = bpy.context.scene
    with window.override():
        bpy.ops.gpuscene.live_record("INVOKE_DEFAULT")
    for _ in range(200):
        yield
        if module("blender.live.model").recording() is None:
            break
    history = session().history
    answers["recorded"] = {"frames": len(history), "frame": scene.frame_current, "plot": scene.gpuscene_live.show_plot,
                           "visible": [int(v) for v in history.array("visible")]}
    scene.frame_set(5)
    scene.frame_end = 250
    with window.override():
        bpy.ops.gpuscene.live_record("INVOKE_DEFAULT")
    yield from wait(2)
    scene.name = "Renamed"
    yield from wait(2)
    yield from window.key("ESC")
    yield from window.drawn()
    answers["ended"] = {"running": module("blender.live.model").recording() is not None, "frame": scene.frame_current,
                        "frames": len(session().history)}
    scene.frame_end = 12
    scene.frame_set(1)
    scene.gpuscene_live.show_plot = False
    yield from window.drawn()


def act_two_views():
    """Split the view, look elsewhere in one of them, maximise it and come back."""
    with window.override():
        bpy.ops.screen.area_split(direction="VERTICAL", factor=0.5)
    yield from window.drawn()
    areas = [a for a in window.window.screen.areas if a.type == "VIEW_3D"]
    other = min(areas, key=lambda a: a.x)
    other.spaces.active.region_3d.view_distance = 12
    for _ in range(4):
        for area in areas:
            area.tag_redraw()
        yield
    live = session()
    answers["two_views"] = {str(k): v.stats.visible for k, v in live.views.items()}
    answers["two_oracle"] = {str(k): int(oracle(live, v).sum()) for k, v in live.views.items()}
    region = next(r for r in other.regions if r.type == "WINDOW")
    with bpy.context.temp_override(window=window.window, area=other, region=region):
        bpy.ops.screen.screen_full_area()
    yield from wait(4)
    yield from window.drawn()
    answers["maximised"] = len(session().views)
    with window.override():
        bpy.ops.screen.screen_full_area()
    yield from wait(4)
    yield from window.drawn()
    live = session()
    answers["restored"] = {str(k): v.stats.visible for k, v in live.views.items()}
    answers["restored_oracle"] = {str(k): int(oracle(live, v).sum()) for k, v in live.views.items()}


def oracle(live, view):
    """Visible by a plain float64 test of each sphere and box against the camera's planes."""
    bounds, planes = live.tables.bounds, view.camera.planes()
    kept = live.tables.alive & bounds.drawable
    for normal, offset in zip(planes[:, :3], planes[:, 3]):
        far = np.where(normal > 0, bounds.box_max, bounds.box_min).astype(np.float64)
        kept = kept & (bounds.center.astype(np.float64) @ normal + offset >= -bounds.radius) & (far @ normal + offset >= 0)
    return kept


def act_stop():
    yield from window.move(*window.centre())
    yield from window.key("L", ctrl=True, shift=True)
    yield from window.drawn()
    note("stopped")


def act_restart():
    yield from window.move(*window.centre())
    yield from window.key("L", ctrl=True, shift=True)
    yield from window.drawn(6)
    note("restarted")


def act_load():
    """Another file ends the session; there, the shortcut starts a new one."""
    bpy.ops.wm.read_homefile(app_template="", use_factory_startup=False)
    yield from wait(6)
    note("loaded")
    yield from window.open_tab()
    yield from window.move(*window.centre())
    yield from window.key("L", ctrl=True, shift=True)
    yield from window.drawn(6)
    note("started_there")


def act_disable():
    """Disabling the extension ends the session and takes keys and handlers; enabled again it works."""
    bpy.ops.preferences.addon_disable(module=MODULE)
    yield from window.drawn()
    answers["disabled"] = state() | {"scene": hasattr(bpy.context.scene, "gpuscene_live")}
    bpy.ops.preferences.addon_enable(module=MODULE)
    yield from window.drawn()
    note("enabled")
    yield from window.move(*window.centre())
    yield from window.key("L", ctrl=True, shift=True)
    yield from window.drawn(6)
    note("started_again")


def main():
    yield from window.open_tab()
    for act in ACTS:
        yield from globals()[f"act_{act}"]()


def finish(failure):
    if failure:
        answers["exception"] = failure
    answers["about"] = {"version": bpy.app.version_string}
    Path(FOLDER, "answers.json").write_text(json.dumps(answers))


run(main(), finish)
