"""Runs inside a windowed Blender: lives through particles on skins by the panel's real buttons, playing frame after frame.

usage: blender skins.blend --enable-event-simulate --python drive_skins.py -- SCREEN FOLDER ACT...

FOLDER gets NAME.png of the 3D View's area for each picture and answers.json. Each ACT is a function ``act_ACT`` below.
"""

import json
import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Euler

sys.path.insert(0, str(Path(__file__).parent))
from driver import MODULE, Window, module, run, wait  # noqa: E402

SCREEN, FOLDER, *ACTS = sys.argv[sys.argv.index("--") + 1:]
answers = {}
window = Window(SCREEN)


def session():
    return module("blender.skins.live.session").current() if f"{MODULE}.addon.blender.skins.live.session" in sys.modules else None


def state():
    ours = f"{MODULE}.addon.blender.skins.live."
    lists = {name: value for name in dir(bpy.app.handlers) if isinstance(value := getattr(bpy.app.handlers, name), list)}
    handlers = sorted(name for name, functions in lists.items() for function in functions
                      if getattr(function, "__module__", "").startswith(ours))
    live = session()
    seen = {"handlers": handlers, "running": live is not None}
    if f"{ours}session" in sys.modules:
        seen["error"] = module("blender.skins.live.session").last_error()
    if live is not None:
        seen |= {"characters": sorted(live.names[uid] for uid in live.actors), "kind": live.stage.kind, "note": live.stage.note,
                 "frame": live.frame, "particles": sum(live.stage.particles.values()), "problems": list(live.problems.values()),
                 "shares": {live.names[uid]: measured.shown.share for uid, measured in live.measured.items()}}
    return seen


def note(name):
    answers[name] = state()


def off():
    """The largest distance, in heights, of a drawn particle from its place on Blender's evaluated mesh. Views have drawn the frame."""
    live, graph, worst = session(), bpy.context.evaluated_depsgraph_get(), {}
    for uid, actor in live.actors.items():
        obj = bpy.data.objects[live.names[uid]].evaluated_get(graph)
        world = np.array(obj.matrix_world)
        truth = np.empty((len(obj.data.vertices), 3), np.float32)
        obj.data.vertices.foreach_get("co", truth.reshape(-1))
        truth = truth @ world[:3, :3].T + world[:3, 3]
        points = actor.points(live.settings, live.settings.steps()[actor.level][1])
        distance = np.linalg.norm(live.positions(uid) - points.at(truth), axis=1).max()
        worst[live.names[uid]] = float(distance / np.ptp(truth, axis=0).max())
    return worst


def picture(name):
    yield from window.move(*window.centre())
    yield from window.drawn(3)
    window.picture(Path(FOLDER, f"{name}.png"))


def act_open():
    """Look at the characters; in the sidebar close Scene and Live and open Skins, by clicks on their headers."""
    view = window.view
    view.view_perspective = "PERSP"
    view.view_rotation = Euler((1.45, 0, 0.12)).to_quaternion()
    view.view_location, view.view_distance = (0.25, 0.2, 0.85), 5.2
    window.area.spaces.active.overlay.show_floor = False
    bpy.data.objects["Camera"].hide_set(True)
    region = window.region("UI")
    for row in (0, 1, 6):  # each header closed is 28 pixels high
        yield from window.click(region.x + 60, region.y + region.height - 13 - 28 * row)
        yield from window.drawn(3)
    note("before")


def act_start():
    """The Start button: the one tall button of the open panel."""
    buttons = window.tall_buttons()
    answers["tall_buttons"] = len(buttons)
    yield from window.click(*buttons[0])
    yield from window.drawn(4)
    note("started")
    yield from picture("started")


def act_frames():
    """Step through frames as playing does; after each redraw the drawn particles are where Blender's mesh is."""
    answers["frames"] = {}
    for frame in (2, 3, 9, 10, 17):
        bpy.context.scene.frame_set(frame)
        yield from window.drawn()
        answers["frames"][str(frame)] = [session().frame, off()]


def act_play():
    """Real playback: each redraw shows the frame it draws."""
    seen = []
    live = session()
    draw = live.stage.draw

    def spy(*arguments):
        seen.append([float(bpy.context.scene.frame_current_final), float(live.frame)])
        return draw(*arguments)

    live.stage.draw = spy
    with window.override():
        bpy.ops.screen.animation_play()
    yield from wait(30)
    with window.override():
        bpy.ops.screen.animation_cancel(restore_frame=False)
    yield
    live.stage.draw = draw
    answers["played"] = seen
    yield from window.drawn()
    answers["after_play"] = off()


def act_trails():
    group = bpy.context.scene.gpuscene_skins
    group.use_trails, group.trail, group.color = True, 6, "AGE"
    for frame in range(4, 13):
        bpy.context.scene.frame_set(frame)
        yield from window.drawn()
    answers["poses"] = [len(actor.poses) for actor in session().actors.values()]
    yield from picture("trails")
    group.use_trails, group.color = False, "BONE"


def act_offset():
    group = bpy.context.scene.gpuscene_skins
    yield from window.drawn()
    group.offset = (0.45, 0, 0)
    yield from picture("offset")
    answers["offset"] = list(session().settings.offset)
    group.offset = (0, 0, 0)


def act_together():
    """The live scene started beside it, and stopped again."""
    with window.override():
        bpy.ops.gpuscene.live_toggle()
    yield from window.drawn(4)
    bpy.context.scene.frame_set(15)
    yield from window.drawn()
    sessions = module("blender.live.session")
    live = sessions.current()
    answers["together"] = [off(), session().frame, live is not None and live.stats().instances, sessions.last_error()]
    yield from picture("together")
    with window.override():
        bpy.ops.gpuscene.live_toggle()
    yield from window.drawn(3)
    answers["alone"] = off()


def act_edit():
    """A new object in the list is read outside of drawing; hiding and deleting take one away."""
    group = bpy.context.scene.gpuscene_skins
    bpy.data.objects["Bruno"].hide_set(True)
    yield from window.drawn(3)
    note("hidden")
    bpy.data.objects["Bruno"].hide_set(False)
    yield from window.drawn(6)
    note("shown")
    answers["shown_off"] = off()
    group.items.remove(next(i for i, item in enumerate(group.items) if item.object.name == "Ada"))
    yield from window.drawn(3)
    note("removed")
    group.items.add().object = bpy.data.objects["Ada"]
    yield from window.drawn(6)
    note("added")
    bpy.data.objects.remove(bpy.data.objects["Chidi"])
    yield from window.drawn(3)
    note("deleted")
    answers["deleted_off"] = off()


def act_undo():
    """A pose by hand, undone by the key."""
    bpy.ops.ed.undo_push(message="before")
    armature = bpy.data.objects["Ada Rig"]
    armature.location.z += 1
    bpy.ops.ed.undo_push(message="up")
    yield from window.drawn(3)
    answers["up"] = [off(), state()]
    yield from window.move(*window.centre())
    yield from window.key("Z", ctrl=True)
    yield from window.drawn(6)
    answers["undone"] = [off(), state()]


def act_stop():
    yield from window.click(*window.tall_buttons()[0])
    yield from window.drawn(3)
    note("stopped")
    yield from picture("stopped")


def act_load():
    """Another file ends a session that was started again; disabling the extension ends the next one."""
    with window.override("UI"):
        bpy.ops.gpuscene.skins_toggle("INVOKE_DEFAULT")
    yield from window.drawn(3)
    note("restarted")
    bpy.ops.wm.read_homefile(app_template="", use_factory_startup=False)
    yield from wait(6)
    note("loaded")


def act_disable():
    with window.override("UI"):
        bpy.ops.gpuscene.skins_toggle("INVOKE_DEFAULT")
    yield from window.drawn(3)
    note("started_there")
    bpy.ops.preferences.addon_disable(module=MODULE)
    yield from window.drawn()
    answers["disabled"] = state() | {"scene": hasattr(bpy.context.scene, "gpuscene_skins")}


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
