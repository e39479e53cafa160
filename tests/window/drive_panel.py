"""Runs inside a windowed Blender: shows the GPUScene tab, takes pictures of the screen, presses the real buttons.

usage: blender FILE.blend --enable-event-simulate --python drive_panel.py -- SCREEN FOLDER ACTION...

SCREEN is the file of the virtual display's screen; FOLDER gets NAME.png for each picture, and answers.json at the end.
Actions, in order:
  open         closed panels are open from the start
  edit         fill the lists
  find         note where the Export button is
  export       press it and wait
  cancel       press it, and Esc at once
  browse=PATH  File > Export: open the file browser, enter PATH, confirm
  shot=NAME    picture of the screen
  crop=NAME    picture of the sidebar
"""

import json
import sys
import time
import traceback
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))
from screenshot import find_bar, read_screen, write_png  # noqa: E402

MODULE = "bl_ext.user_default.gpuscene"
TICK = 0.15
SCREEN, FOLDER, *ACTIONS = sys.argv[sys.argv.index("--") + 1:]
answers = {}


def package(name):
    return sys.modules[f"{MODULE}.addon.blender.{name}"]


def view_3d():
    window = bpy.context.window_manager.windows[0]
    area = next(a for a in window.screen.areas if a.type == "VIEW_3D")
    return window, area, next(r for r in area.regions if r.type == "UI")


def sidebar_pixels(screen):
    """The sidebar's part of the screen, and its left and top on it. Blender counts rows from the bottom."""
    _, _, region = view_3d()
    top = screen.shape[0] - region.y - region.height
    return screen[top:top + region.height, region.x:region.x + region.width], region.x, top


def note_progress():
    """Collect what the panel is told while an export runs: texts, and None at its end."""
    viewmodel = package("viewmodel")
    tell, answers["progress"] = viewmodel.set_progress, []

    def noting(value):
        answers["progress"].append(value and value.text)
        tell(value)

    viewmodel.set_progress = noting


def find_export():
    """(x, y from the top) of the Export button on the screen, by its theme colour and height; and the screen's height."""
    screen = read_screen(SCREEN)
    pixels, left, top = sidebar_pixels(screen)
    colour = [round(255 * c) for c in bpy.context.preferences.themes[0].user_interface.wcol_tool.inner[:3]]
    found = find_bar(pixels, colour, least_height=24)
    if found is None:
        raise RuntimeError(f"no Export button of colour {colour} on the sidebar")
    answers["button"] = found
    return left + found[0], top + found[1], screen.shape[0]


def press_export(*keys_at_once):
    """Click the Export button; `keys_at_once` are pressed in the same moment as its release, so before any timer event."""
    window, _, _ = view_3d()
    x, y, height = find_export()
    place = {"x": x, "y": height - 1 - y}
    window.event_simulate(type="MOUSEMOVE", value="NOTHING", **place)
    yield
    window.event_simulate(type="LEFTMOUSE", value="PRESS", **place)
    yield
    window.event_simulate(type="LEFTMOUSE", value="RELEASE", **place)
    for key in keys_at_once:
        window.event_simulate(type=key, value="PRESS", **place)
        window.event_simulate(type=key, value="RELEASE", **place)
    yield


def export_by_browser(path):
    """What File > Export > GPUScene does; the browser opens in a window of its own."""
    window, area, _ = view_3d()
    with bpy.context.temp_override(window=window, area=area, region=area.regions[-1]):
        bpy.ops.gpuscene.export_file("INVOKE_DEFAULT")
    for _ in range(10):
        yield
    window, browser = next((w, a) for w in bpy.context.window_manager.windows for a in w.screen.areas if a.type == "FILE_BROWSER")
    answers["offered"] = browser.spaces.active.params.filename
    browser.spaces.active.params.directory = str(Path(path).parent).encode()
    browser.spaces.active.params.filename = Path(path).name
    yield
    region = next(r for r in browser.regions if r.type == "EXECUTE")
    with bpy.context.temp_override(window=window, area=browser, region=region):
        bpy.ops.file.execute("INVOKE_DEFAULT")
    for _ in range(4):
        yield


def wait_for_export(seconds=60):
    end = time.monotonic() + seconds
    while package("viewmodel").progress() is not None and time.monotonic() < end:
        yield
    yield
    yield


def fill_lists():
    bpy.ops.gpuscene.reset_channels()
    obj = bpy.context.view_layer.objects.active
    if obj is not None and not obj.gpuscene.lods:
        item = obj.gpuscene.lods.add()
        item.object = next((o for o in bpy.data.objects if o.type == "MESH" and o != obj), None)


def run():
    _, area, region = view_3d()
    area.spaces.active.show_region_ui = True
    for _ in range(6):
        yield
    region.active_panel_category = "GPUScene"
    region.tag_redraw()
    note_progress()
    for action in ACTIONS:
        name, _, value = action.partition("=")
        region.tag_redraw()  # scripts that run from a timer do not cause one
        for _ in range(4):
            yield
        screen = read_screen(SCREEN)
        if name == "shot":
            write_png(Path(FOLDER, f"{value}.png"), screen)
        elif name == "crop":
            write_png(Path(FOLDER, f"{value}.png"), sidebar_pixels(screen)[0])
        elif name == "edit":
            fill_lists()
        elif name == "browse":
            yield from export_by_browser(value)
            yield from wait_for_export()
        elif name == "find":
            find_export()
        elif name == "export":
            yield from press_export()
            yield from wait_for_export()
        elif name == "cancel":
            yield from press_export("ESC")
            yield from wait_for_export()
    view = package("viewmodel").result_of(bpy.context.scene)
    answers.update(category=region.active_panel_category, running=package("viewmodel").progress() is not None,
                   result=json.loads(view.json) if view and view.json else None, error=" ".join(view.error) if view else "",
                   sidebar=[region.width, region.height])


def step(generator=run()):
    try:
        next(generator)
        return TICK
    except StopIteration:
        pass
    except Exception:
        answers["exception"] = traceback.format_exc()
    Path(FOLDER, "answers.json").write_text(json.dumps(answers))
    bpy.ops.wm.quit_blender()


def open_closed_panels():
    """Before the first draw: a region remembers which panels were closed when it first drew them."""
    for cls in package("panels").CLASSES:
        if "DEFAULT_CLOSED" in getattr(cls, "bl_options", ()):
            bpy.utils.unregister_class(cls)
            cls.bl_options = set()
            bpy.utils.register_class(cls)


if "open" in ACTIONS:
    open_closed_panels()
    ACTIONS.remove("open")
bpy.context.preferences.view.show_splash = False
bpy.app.timers.register(step, first_interval=1.0)
