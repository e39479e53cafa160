"""Palettes, legends and the geometry of overlays, against known values and plain loops."""

import itertools

import numpy as np
import pytest
from gpuscene.core import overlay, palette
from gpuscene.core.errors import InputError
from gpuscene.core.live import status


def test_srgb_of_known_values():
    assert np.allclose(palette.srgb([0, 0.0031308, 0.18, 0.5, 1]), [0, 0.04045, 0.4613561, 0.7353570, 1], atol=1e-5)


@pytest.mark.parametrize("mode", [*palette.MODES, "clusters", "frustum"])
def test_a_legend_says_what_each_colour_means(mode):
    rows = palette.legend(mode)
    assert len({label for _, label in rows}) == len(rows) and len({color for color, _ in rows}) == len(rows)
    for color, label in rows:
        assert len(color) == 4 and all(isinstance(c, float) and 0 <= c <= 1 for c in color) and color[3] > 0.5 and label


def test_legends_name_every_reason_and_every_lod_there_is():
    colors = {color for color, _ in palette.legend("visibility")}
    assert colors == {tuple(palette.REASON_COLORS[k]) for k, name in enumerate(status.REASONS) if name != "free"}
    assert [label for _, label in palette.legend("lod", lods=3)] == ["LOD 0", "LOD 1", "LOD 2", "Not drawn"]
    with pytest.raises(InputError, match="no overlay 'heat'"):
        palette.legend("heat")


def test_bits_of_reasons():
    assert palette.reason_bits("visible", "rule") == 1 << status.VISIBLE | 1 << status.RULE
    assert palette.reason_bits() == 0b1111111 & ~(1 << status.FREE)
    assert palette.reason_bits("free") == 0


def luminance(rgb):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_colours_stand_out_from_the_dark_viewport():
    """A contrast of 1.7 at least (WCAG's measure) from the default theme's grey, of everything that is drawn full."""
    background = luminance((0.24, 0.24, 0.24))
    for colors in (palette.REASON_COLORS, palette.PRECISION_COLORS, palette.BATCH_COLORS, palette.NODE_COLORS[:3]):
        for color in colors:
            if color[3]:
                assert (luminance(color) + 0.05) / (background + 0.05) > 1.7


def test_colours_of_one_mode_differ():
    for colors in (palette.REASON_COLORS, palette.LOD_COLORS, palette.AGE_COLORS, palette.PRECISION_COLORS, palette.BATCH_COLORS,
                   palette.NODE_COLORS):
        for a, b in itertools.combinations(colors, 2):
            assert np.abs(a[:3] - b[:3]).sum() > 0.25


@pytest.mark.parametrize("far", [50.0, np.inf])
def test_corners_of_a_frustum(far):
    near, half = 0.5, 0.7
    depth = (-1, -2 * near) if np.isinf(far) else (-(far + near) / (far - near), -2 * far * near / (far - near))
    matrix = np.array([[1 / half, 0, 0, 0], [0, 1 / half, 0, 0], [0, 0, *depth], [0, 0, -1, 0]])
    for reach in (3.0, 1000.0):
        end = min(far, near + reach / np.sqrt(1 + 2 * half ** 2))
        corners = overlay.frustum_corners(matrix, reach)
        for k in range(8):
            d = end if k & 4 else near
            expected = d * half * (1 if k & 1 else -1), d * half * (1 if k & 2 else -1), -d
            assert np.allclose(corners[k], expected, rtol=1e-5)
