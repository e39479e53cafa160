"""LOD names and thresholds."""

import pytest
from gpuscene.core import lod


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Pine_LOD0", ("Pine", 0, "")),
        ("Pine_LOD2.001", ("Pine", 2, ".001")),
        ("pine_lod12", ("pine", 12, "")),
        ("A_B_LOD1", ("A_B", 1, "")),
        ("木_LOD3", ("木", 3, "")),
        ("X_LOD0_LOD1", ("X_LOD0", 1, "")),
        ("P_LOD1.1234", ("P", 1, ".1234")),
        ("a.001_LOD1", ("a.001", 1, "")),
        ("Pine_LOD", None),
        ("_LOD0", None),
        ("PineLOD0", None),
        ("Pine_LOD0x", None),
        ("Pine_LOD1.01", None),
        ("Pine_LOD-1", None),
        ("Pine_LOD1 ", None),
        ("Pine_LOD\u0663", None),  # an Arabic three
        ("", None),
        ("Pine", None),
    ],
)
def test_names(name, parts):
    assert (lod.split_name(name) or None) == parts


def test_default_thresholds_halve_and_begin_with_no_limit():
    assert [lod.default_screen_size(n) for n in range(5)] == [lod.NO_LIMIT, 0.25, 0.125, 0.0625, 0.03125]
    # The largest float32: a reader that compares as float32 sees a number, not infinity.
    assert lod.NO_LIMIT == (2 - 2**-23) * 2.0**127


@pytest.mark.parametrize(
    ("levels", "sizes", "codes"),
    [
        ([0], [1e9], []),
        ([0, 1, 2], [1e9, 0.25, 0.1], []),
        ([0, 2], [1e9, 0.1], ["lod-gap"]),
        ([0, 1, 4], [1e9, 0.3, 0.1], ["lod-gap"]),
        ([0, 1, 2], [1e9, 0.1, 0.25], ["lod-order"]),
        ([0, 1, 2], [1e9, 0.1, 0.1], ["lod-order"]),
        ([0, 1, 3], [1e9, 0.1, 0.25], ["lod-gap", "lod-order"]),
        (list(range(8)), [2.0**-n for n in range(8)], []),
        (list(range(9)), [2.0**-n for n in range(9)], ["lod-limit"]),
    ],
)
def test_what_is_wrong_with_a_set(levels, sizes, codes):
    findings = lod.check_levels("Pine_LOD0", levels, sizes)
    assert [f.code for f in findings] == codes
    assert all(f.subject == "Pine_LOD0" and f.hint for f in findings)


def test_a_gap_names_each_missing_level():
    assert "LOD 1, 3 missing" in lod.check_levels("P", [0, 2, 4], [9, 0.2, 0.1])[0].message
