"""The one bone buffer of all characters on the GPU, a ring of poses: only the newest travels, in the format that was chosen."""

from __future__ import annotations

import numpy as np

from ...core.layout import BONE, Record
from ...core.layout import Field as F
from ...core.skinning.gpu_records import SKIN_CHARACTER, SKIN_RUN
from ...core.skinning.matrices import FORMATS, encode
from ...glsl.accessors import Binding
from ..buffers import Uniform, make_table
from ..passes.base import Pass
from ..shader_library import ShaderKey, ShaderLibrary

HALF_BONE = Record(
    "HalfBone",
    "bone_pose",
    24,
    tuple(F(f"w{k}", "uint", "2 x float16, low half first") for k in range(6)),
    "A bone as half floats.",
)
TRS_BONE = Record(
    "TrsBone",
    "bone_pose",
    40,
    tuple(F(name, "float") for name in ("tx", "ty", "tz", "qx", "qy", "qz", "qw", "sx", "sy", "sz")),
    "A bone as translation, quaternion and scale.",
)
FLOAT_BONE = Record("FloatBone", "bone_pose", 48, BONE.fields, "A bone's 3x4 matrix.")
BONE_TARGET = Record(
    "BoneTarget",
    "bone_targets",
    8,
    (F("row", "uint", "of a pose"), F("character", "uint", "row of skin_characters")),
    "Where a bone that travels belongs.",
)
_RECORDS = {"float32": FLOAT_BONE, "half": HALF_BONE, "trs": TRS_BONE}
#: rows are added so many at a time
_STEP = 16
_GROUP_SIZE = 64
#: rows that may lie idle before a table is made smaller, and by how many more than needed a ring grows at most
_SPARE, _MOST_SPARE = 64, 1 << 16


class _Target:
    """A table bound for writing."""

    def __init__(self, table):
        self.bind = table.bind_for_writing


class BoneRing:
    """Poses of all characters.

    Parameters
    ----------
    library : ShaderLibrary
    length : int
        Poses kept.
    matrices : {"float32", "half", "trs"}
        How they travel; the shader makes full float matrices of the others.

    Attributes
    ----------
    table : Table of BONE
        ``length`` poses of `rows` bones, one after the other. Another object after `resize`.
    newest : int
        Slot of the newest pose.
    """

    def __init__(self, library: ShaderLibrary, length: int, matrices: str):
        if matrices not in FORMATS:
            raise ValueError(f"matrix format {matrices!r} is not one of {tuple(FORMATS)}")
        self.library, self.length, self.matrices = library, length, matrices
        self.rows, self.table, self.newest = 0, None, 0
        self._pass = None
        self.run_row = SKIN_RUN.empty(1)
        self.run_block = Uniform("skin_run", SKIN_RUN, self.run_row)

    @property
    def is_direct(self) -> bool:
        """What travels is the table itself."""
        return self.length == 1 and self.matrices == "float32"

    def resize(self, extent: int) -> bool:
        """Make room for `extent` rows, past poses kept; True when the table is another one."""
        rows = max(-(-extent // _STEP) * _STEP, _STEP)
        if self.table is not None and rows <= self.rows <= 2 * rows + _SPARE:
            return False
        if not self.is_direct:
            rows = (
                max(rows, min(2 * self.rows, _MOST_SPARE + self.rows)) if rows > self.rows else rows
            )  # what is not used does not travel
        before, rows_before = self.table, self.rows
        self.rows, self._pass = rows, None
        self.table = self._table("bones", BONE, BONE.empty(rows * self.length))
        if before is not None and not self.is_direct and rows > rows_before:
            self._move(before, rows_before)
        return True

    def _move(self, before, rows_before: int) -> None:
        """Past poses from another table into this one."""
        before.name = "bones_before"
        row = SKIN_RUN.empty(1)
        row["ring_length"], row["bone_rows"], row["row_count"] = self.length, self.rows, rows_before
        key = ShaderKey(
            "skinning/move_ring.glsl",
            (Binding("bones_before", BONE), Binding("bones", BONE, "write")),
            (("skin_run", SKIN_RUN),),
            _GROUP_SIZE,
        )
        Pass(
            self.library, key, (before, _Target(self.table), Uniform("skin_run", SKIN_RUN, row)), rows_before * self.length
        ).run()
        Pass.finish()

    def set_travelling(self, targets: np.ndarray, owners: np.ndarray, characters) -> None:
        """Which rows travel: `targets` (K,) of a pose, and `owners` (K,), rows of `characters`, a table of SKIN_CHARACTER."""
        if self.is_direct:
            return
        self._targets = targets
        record, padded = _RECORDS[self.matrices], max(-(-len(targets) // _STEP) * _STEP, _STEP)
        rows = BONE_TARGET.empty(padded)
        rows["row"][: len(targets)], rows["character"][: len(targets)] = targets, owners
        self._pose, self._rows = (
            self._table("bone_pose", record, record.empty(padded)),
            self._table("bone_targets", BONE_TARGET, rows),
        )
        key = ShaderKey(
            "skinning/pose.glsl",
            (
                Binding("bone_pose", record),
                Binding("bone_targets", BONE_TARGET),
                Binding("skin_characters", SKIN_CHARACTER),
                Binding("bones", BONE, "write"),
            ),
            (("skin_run", SKIN_RUN),),
            _GROUP_SIZE,
            tuple((f"POSE_{kind.upper()}", int(kind == self.matrices)) for kind in FORMATS),
        )
        self._pass = Pass(self.library, key, (self._pose, self._rows, characters, _Target(self.table), self.run_block), padded)

    def push(self, pose: np.ndarray, origins: np.ndarray) -> int:
        """Queue the newest pose of all, (rows, 3, 4) float32; `origins` (K, 3) that half matrices are relative to. Bytes that
        travelled.
        """
        self.newest = (self.newest + 1) % self.length
        if self.is_direct:
            self.table.upload(pose)
            return pose.nbytes
        matrices = pose[self._targets]
        if self.matrices == "half":
            matrices = matrices.astype(np.float64)
            matrices[:, :, 3] -= origins
        parts = [np.ascontiguousarray(part).reshape(len(matrices), -1).view(np.uint8) for part in encode(matrices, self.matrices)]
        rows = np.zeros((self._pose.count, _RECORDS[self.matrices].stride), np.uint8)
        rows[: len(matrices)] = np.concatenate(parts, axis=1)
        self._pose.upload(rows)
        self.run_row["newest"], self.run_row["bone_rows"], self.run_row["row_count"] = self.newest, self.rows, len(matrices)
        self.run_block.update(self.run_row)
        self._pass.run()
        return rows.nbytes

    def fill(self, poses: np.ndarray) -> None:
        """Upload all `length` poses at once: (length, rows, 3, 4) float32."""
        rows = np.zeros((self.length, self.rows, 3, 4), np.float32)
        rows[:, : poses.shape[1]] = poses
        self.table.upload(rows)

    @property
    def memory(self) -> int:
        """Bytes on the GPU."""
        return self.table.word_count * 4 + (0 if self.is_direct else (self._pose.word_count + self._rows.word_count) * 4)

    def _table(self, name, element, rows):
        return make_table(self.library.capabilities, self.library.transport, name, element, rows=rows)
