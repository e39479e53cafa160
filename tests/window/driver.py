"""What scripts inside a windowed Blender share: simulated events, the screen's pixels, steps with redraws between."""

import sys
import traceback
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))
from screenshot import find_bars, read_screen, write_png  # noqa: E402

MODULE = "bl_ext.user_default.gpuscene"
TICK = 0.05


def module(name):
    """``addon.<name>`` of the installed extension."""
    return sys.modules[f"{MODULE}.addon.{name}"]


class Window:
    """The first window's 3D View. Everything is looked up anew: another file brings other areas."""

    def __init__(self, screen_file):
        self.screen_file = screen_file
        self.mouse = (0, 0)

    @property
    def window(self):
        return bpy.context.window_manager.windows[0]

    @property
    def area(self):
        return max((a for a in self.window.screen.areas if a.type == "VIEW_3D"), key=lambda a: a.width)

    def region(self, kind="WINDOW"):
        return next(r for r in self.area.regions if r.type == kind)

    @property
    def view(self):
        return self.area.spaces.active.region_3d

    def open_tab(self):
        """Show the sidebar's GPUScene tab."""
        self.area.spaces.active.show_region_ui = True
        yield from wait(4)
        self.region("UI").active_panel_category = "GPUScene"
        yield from self.drawn()

    def drawn(self, times=2):
        """Let the view draw; scripts that run from a timer do not cause it."""
        for _ in range(times):
            for region in self.area.regions:
                region.tag_redraw()
            yield

    def override(self, kind="WINDOW"):
        return bpy.context.temp_override(window=self.window, area=self.area, region=self.region(kind))

    def event(self, kind, value="PRESS", **held):
        self.window.event_simulate(type=kind, value=value, x=self.mouse[0], y=self.mouse[1], **held)

    def move(self, x, y):
        """Move the mouse to a place of the window; y counts from the bottom."""
        self.mouse = int(x), int(y)
        self.event("MOUSEMOVE", "NOTHING")
        yield
        self.event("MOUSEMOVE", "NOTHING")
        yield

    def key(self, kind, text="", **held):
        self.event(kind, "PRESS", **held | ({"unicode": text} if text else {}))
        self.event(kind, "RELEASE", **held)
        yield
        yield

    def click(self, x, y):
        yield from self.move(x, y)
        self.event("LEFTMOUSE", "PRESS")
        yield
        self.event("LEFTMOUSE", "RELEASE")
        yield
        yield

    def drag(self, button, start, end):
        yield from self.move(*start)
        self.event(button, "PRESS")
        yield
        for step in range(1, 5):
            yield from self.move(*(a + (b - a) * step / 4 for a, b in zip(start, end)))
        self.event(button, "RELEASE")
        yield

    def place_of(self, point):
        """Where a point of the scene stands on the window."""
        from bpy_extras.view3d_utils import location_3d_to_region_2d

        region = self.region()
        place = location_3d_to_region_2d(region, self.view, point)
        return region.x + place.x, region.y + place.y

    def centre(self):
        region = self.region()
        return region.x + 0.4 * region.width, region.y + 0.6 * region.height

    def tall_buttons(self):
        """Places on the window of the sidebar's tall buttons, from the top."""
        screen = read_screen(self.screen_file)
        region = self.region("UI")
        top = screen.shape[0] - region.y - region.height
        pixels = screen[top:top + region.height, region.x:region.x + region.width]
        colour = [round(255 * c) for c in bpy.context.preferences.themes[0].user_interface.wcol_tool.inner[:3]]
        return [(region.x + x, screen.shape[0] - 1 - (top + y)) for x, y in find_bars(pixels, colour, 24)]

    def picture(self, path):
        """The 3D View's area as PNG."""
        screen, area = read_screen(self.screen_file), self.area
        top = screen.shape[0] - area.y - area.height
        write_png(path, screen[top:top + area.height, area.x:area.x + area.width])


def wait(ticks):
    for _ in range(ticks):
        yield


def run(generator, finish):
    """Step `generator` by a timer that outlives loading a file; ``finish(traceback or None)`` at its end, then quit."""

    def step():
        try:
            next(generator)
            return TICK
        except StopIteration:
            finish(None)
        except Exception:
            finish(traceback.format_exc())
        bpy.ops.wm.quit_blender()

    bpy.context.preferences.view.show_splash = False
    bpy.app.timers.register(step, first_interval=1.0, persistent=True)
