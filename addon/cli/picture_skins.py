"""Particles on the skins of the loaded .blend, for ``snapshot --overlay skin``: the viewport's session without a window."""

from __future__ import annotations

import numpy as np

from ..core.errors import InputError


class PictureSkins:
    """Every character of the scene at its current frame, with the poses of the frames before as a trail. The frame is put back.

    Parameters
    ----------
    arguments : dict
        ``source, particles, trails, offset, color_by, particle_size, seed``.

    Raises
    ------
    InputError
        No mesh has an armature, or the source is not a .blend.
    """

    def __init__(self, arguments: dict):
        from .views import is_stored

        if is_stored(arguments["source"]):
            raise InputError("Particles on skins need the .blend.", "Give the file that was exported.")
        import bpy

        from ..blender.skins.character import object_key
        from ..blender.skins.deformers import skinned_objects
        from ..blender.skins.live.settings import Chosen, SkinSettings
        from ..blender.skins.live.skin_session import SkinSession

        context = bpy.context
        scene, depsgraph = context.scene, context.evaluated_depsgraph_get()
        chosen = tuple(Chosen(obj.original.session_uid, object_key(obj), obj.name_full) for obj in skinned_objects(depsgraph))
        settings = SkinSettings(particles=arguments["particles"], seed=arguments["seed"], size=arguments["particle_size"],
                                color=arguments["color_by"], trail=arguments["trails"], offset=tuple(arguments["offset"]))
        self.session = SkinSession(scene, context.view_layer, settings, chosen)
        before = scene.frame_current, scene.frame_subframe
        try:
            for frame in range(before[0] - max(settings.poses - 1, 0), before[0]):
                scene.frame_set(frame)
                self._read(context.evaluated_depsgraph_get())
        finally:
            if settings.poses > 1:
                scene.frame_set(before[0], subframe=before[1])
        self._read(context.evaluated_depsgraph_get())
        if not self.session.actors:
            raise InputError("No mesh in the scene has an armature.", "Check visibility, or add an Armature modifier.")

    def _read(self, depsgraph):
        self.session.mark(depsgraph, frame_changed=True)
        self.session.redraw(depsgraph)

    def boxes(self) -> tuple:
        """(low, high), (C, 3) each: what holds each character's particles."""
        settings, lows, highs = self.session.settings, [], []
        for uid in self.session.actors:
            poses = [self.session.positions(uid, age) for age in range(settings.poses)]
            points = np.concatenate(poses).astype(np.float64) + settings.offset
            lows.append(points.min(axis=0, initial=np.inf))
            highs.append(points.max(axis=0, initial=-np.inf))
        return np.array(lows), np.array(highs)

    def draw(self, camera, size, samples: int) -> None:
        """Into the picture that is bound."""
        self.session.stage.draw(camera.clip_from_world, size, float(samples), self.session.settings)

    def legend(self) -> dict:
        """Particles of each character."""
        names = self.session.names
        return {names[uid]: self.session.stage.particles[actor.name] for uid, actor in self.session.actors.items()}
