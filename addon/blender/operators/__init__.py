"""Operators: ``gpuscene.verb_noun``. They catch `GpuSceneError` only; anything else is a bug and shows its traceback."""

from . import channels, export, findings, lods

CLASSES = export.CLASSES + channels.CLASSES + lods.CLASSES + findings.CLASSES
