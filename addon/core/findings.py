"""Findings: what extraction noticed about a scene, without stopping for it."""

from __future__ import annotations

from dataclasses import dataclass

SEVERITIES = ("error", "warning", "info")


@dataclass(frozen=True, order=True)
class Finding:
    """One thing worth knowing about one subject.

    Attributes
    ----------
    code : str
        Stable kebab-case identifier, e.g. ``zero-scale``.
    severity : {"error", "warning", "info"}
    subject : str
        The object, mesh or property it is about, by its Blender name.
    message : str
        What was noticed, with numbers.
    hint : str
        What to change in the scene.
    """

    code: str
    severity: str
    subject: str
    message: str
    hint: str = ""

    def __post_init__(self):
        if self.severity not in SEVERITIES:
            raise ValueError(f"severity {self.severity!r} is not one of {SEVERITIES}")

    def to_json(self) -> dict:
        """As a JSON object with the five field names as keys."""
        return {"code": self.code, "severity": self.severity, "subject": self.subject,
                "message": self.message, "hint": self.hint}

    @classmethod
    def from_json(cls, value: dict) -> "Finding":
        """The inverse of `to_json`; raises `KeyError` or `ValueError` on anything else."""
        return cls(*(str(value[k]) for k in ("code", "severity", "subject", "message")), str(value.get("hint", "")))

    def __str__(self):
        return f"{self.severity}: {self.code}: {self.subject}: {self.message} {self.hint}".rstrip()
