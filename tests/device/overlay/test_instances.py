"""Boxes and points: where a float64 projection puts them, in the colour of their status, behind what is before them."""

import itertools

import numpy as np
import pytest
from gpuscene.core import palette
from gpuscene.core.errors import InputError
from gpuscene.core.live import status as codes
from gpuscene.device.overlay import BOX_LIMIT

CENTERS = np.array([(-3, 2, -12), (3, 2, -12), (-3, -2, -12), (3, -2, -12)], float)
HALF = np.array([1.2, 0.8, 0.5])


def edges(low, high):
    """(12, 2, 3): pairs of corners that differ in one coordinate."""
    corners = [np.where(bits, high, low) for bits in itertools.product((0, 1), repeat=3)]
    return np.array([(a, b) for a, b in itertools.combinations(corners, 2) if (a != b).sum() == 1])


def distance_to_lines(studio, matrix, segments):
    """(H, W) float64: pixels from each pixel's centre to the nearest of the projected segments."""
    centers = np.stack(np.meshgrid(np.arange(studio.size[0]), np.arange(studio.size[1])), axis=-1) + 0.5
    nearest = np.full(centers.shape[:2], np.inf)
    for a, b in studio.pixel(matrix, np.asarray(segments)):
        t = np.clip(((centers - a) @ (b - a)) / max((b - a) @ (b - a), 1e-12), 0, 1)
        nearest = np.minimum(nearest, np.linalg.norm(centers - (a + t[..., None] * (b - a)), axis=-1))
    return nearest


@pytest.mark.parametrize("view", ["perspective", "orthographic"])
def test_boxes_are_their_projected_edges(studio, is_color, is_shade, view):
    matrix = getattr(studio, view)()
    reasons = [codes.VISIBLE, codes.FRUSTUM, codes.DISTANCE, codes.RULE]
    boxes, status = studio.boxes(CENTERS - HALF, CENTERS + HALF), studio.status(reasons)
    picture = studio.picture(matrix, lambda o: o.draw_boxes(boxes, status), scale=2)  # lines of 3 pixels
    everything = np.full(picture.shape[:2], np.inf)
    for center, reason in zip(CENTERS, reasons):
        distance = distance_to_lines(studio, matrix, edges(center - HALF, center + HALF))
        # A pixel within a line by half a pixel is covered whole.
        pixels = picture[distance < 0.9]
        assert is_shade(pixels, palette.REASON_COLORS[reason]).all()
        assert is_color(pixels, palette.REASON_COLORS[reason]).mean() > 0.4
        everything = np.minimum(everything, distance)
    assert (everything < 0.9).sum() > 300
    assert is_color(picture[everything > 3.0], (0, 0, 0)).all()


@pytest.mark.parametrize("view", ["perspective", "orthographic"])
def test_points_are_discs_at_the_projected_centres(studio, is_color, view):
    matrix = getattr(studio, view)()
    spheres, status = studio.spheres(CENTERS), studio.status([codes.VISIBLE, codes.HIDDEN, codes.LATE, codes.RULE])
    picture = studio.picture(matrix, lambda o: o.draw_points(spheres, status), scale=2)
    drawn = picture[..., :3].any(axis=-1)
    for center, reason in zip(CENTERS, [codes.VISIBLE, codes.HIDDEN, codes.LATE, codes.RULE]):
        assert is_color(studio.at(picture, matrix, center), palette.REASON_COLORS[reason])
        rows, columns = np.nonzero(drawn)
        near = np.linalg.norm(np.column_stack((columns, rows)) + 0.5 - studio.pixel(matrix, center), axis=1) < 20
        found = np.column_stack((columns, rows))[near] + 0.5
        assert np.abs(found.mean(axis=0) - studio.pixel(matrix, center)).max() < 0.6
        width = found.max(axis=0) - found.min(axis=0) + 1
        assert (width >= 8).all() and (width <= 18).all()  # 4 to 8 pixels, twice that at this scale, and soft edges
        # A disc: within 25 % of the area of a circle as wide.
        assert abs(len(found) / (np.pi / 4 * width.prod()) - 1) < 0.25


def word(reason=codes.VISIBLE, lod=0, precision=0, age=0, batch=0):
    return reason | lod << 3 | precision << 6 | age << 8 | batch << 16


GREY, RED, BLUE, GREEN = (0.5, 0.5, 0.5), (0.8, 0.03, 0.03), (0.04, 0.1, 0.85), (0.03, 0.6, 0.05)  # the last three linear


def encoded(linear):
    return [1.055 * c ** (1 / 2.4) - 0.055 for c in linear]


MODE_CASES = [
    ("visibility", word(codes.FRUSTUM, lod=5, age=9, batch=3), palette.REASON_COLORS[codes.FRUSTUM]),
    ("visibility", word(codes.VISIBLE, lod=5, age=9, batch=3), palette.REASON_COLORS[codes.VISIBLE]),
    ("visibility", word(codes.LATE), palette.REASON_COLORS[codes.LATE]),
    ("lod", word(lod=1, precision=3, age=255, batch=65535), encoded(RED)),
    ("lod", word(lod=7, precision=3), encoded((0.25, 0.05, 0.6))),
    ("age", word(codes.FRUSTUM, age=0, lod=7), encoded(RED)),
    ("age", word(age=1, batch=77), encoded(BLUE)),
    ("age", word(age=2), encoded(GREEN)),
    ("age", word(age=254), encoded(GREEN)),
    ("age", word(age=255), GREY),
    ("batch", word(batch=13, age=255), palette.BATCH_COLORS[1]),
    ("batch", word(batch=65535), palette.BATCH_COLORS[65535 % 12]),
    ("precision", word(precision=0, age=255), palette.PRECISION_COLORS[0]),
    ("precision", word(codes.DISTANCE, precision=2, lod=7), palette.PRECISION_COLORS[2]),
    ("precision", word(precision=3, batch=1), palette.PRECISION_COLORS[3]),
]


@pytest.mark.parametrize("mode, value, rgb", MODE_CASES, ids=lambda v: str(v)[:12])
def test_colours_of_each_mode(studio, is_color, mode, value, rgb):
    matrix, spheres, status = studio.perspective(), studio.spheres(CENTERS[:1]), studio.status([value])
    picture = studio.picture(matrix, lambda o: o.draw_points(spheres, status, mode=mode), scale=2)
    assert is_color(studio.at(picture, matrix, CENTERS[0]), rgb)


@pytest.mark.parametrize("mode", ["lod", "batch"])
def test_what_is_not_drawn_is_dim_where_drawing_is_coloured(studio, mode):
    matrix, spheres, status = studio.perspective(), studio.spheres(CENTERS[:1]), studio.status([word(codes.RULE, lod=3, batch=5)])
    picture = studio.picture(matrix, lambda o: o.draw_points(spheres, status, mode=mode), scale=2)
    grey = 0.75 * 0.5 * 255  # three quarters of it over black
    assert np.abs(studio.at(picture, matrix, CENTERS[0])[:3] - grey).max() <= 1


@pytest.mark.parametrize("shape", ["boxes", "points"])
def test_only_the_reasons_asked_for_are_shown(studio, is_color, shape):
    matrix = studio.orthographic()
    boxes, spheres = studio.boxes(CENTERS - HALF, CENTERS + HALF), studio.spheres(CENTERS)
    status = studio.status([codes.VISIBLE, codes.FRUSTUM, codes.DISTANCE, codes.HIDDEN])
    wanted = palette.reason_bits("frustum", "hidden")
    picture = studio.picture(matrix, lambda o: o.draw_instances(spheres, boxes, status, reasons=wanted, shape=shape), scale=2)
    corner = HALF * (1, 1, 0) if shape == "boxes" else 0  # both faces of a box lie on each other in this view
    colors = studio.at(picture, matrix, CENTERS - corner)
    assert is_color(colors[1], palette.REASON_COLORS[codes.FRUSTUM]) and is_color(colors[3], palette.REASON_COLORS[codes.HIDDEN])
    quarter = [picture[60:, :80], picture[:60, :80]]  # of what is visible, and of what is beyond its distance
    assert not any(part[..., :3].any() for part in quarter)


@pytest.mark.parametrize("shape, mode", [("boxes", "visibility"), ("boxes", "age"), ("points", "precision"), ("points", "lod")])
def test_free_slots_and_rows_without_a_place_show_nothing(studio, shape, mode):
    bad = np.array([(0, 0, -10), (np.nan, 0, -10), (np.inf, 0, -10), (0, 0, 10)], float)  # free; not numbers; behind the eye
    status = studio.status([codes.FREE, codes.HIDDEN, codes.HIDDEN, codes.VISIBLE])
    spheres, boxes = studio.spheres(bad), studio.boxes(bad - 1, bad + 1)
    every = 0xFF  # the free too, were they shown
    picture = studio.picture(studio.perspective(), lambda o: o.draw_instances(spheres, boxes, status, None, mode, every, shape))
    assert not picture[..., :3].any()


@pytest.mark.parametrize("shape", ["boxes", "points"])
def test_what_lies_behind_is_hidden_and_depth_is_not_written(studio, is_color, shape):
    centers = np.array([(-2, 0, -8), (2, 0, -20)], float)
    status = studio.status([codes.VISIBLE, codes.FRUSTUM])
    spheres, boxes = studio.spheres(centers), studio.boxes(centers - HALF, centers + HALF)
    picture = studio.picture(studio.perspective(), lambda o: o.draw_instances(spheres, boxes, status, shape=shape),
                             depth=studio.depth(14.0))
    assert is_color(picture, palette.REASON_COLORS[codes.VISIBLE]).sum() > 3
    assert not is_color(picture, palette.REASON_COLORS[codes.FRUSTUM]).any()
    # Had the first one written its depth, the second, farther along the same line, would not show.
    line = np.array([(0, 0, -8), (0, 0, -20)], float)
    spheres = studio.spheres(line)
    picture = studio.picture(studio.perspective(), lambda o: o.draw_points(spheres, status), scale=2)
    assert is_color(studio.at(picture, studio.perspective(), line[1]), palette.REASON_COLORS[codes.FRUSTUM])


def test_an_instance_does_not_hide_its_own_point(studio, is_color):
    center = np.array([(0.0, 0.0, -20.0)])
    spheres, status = studio.spheres(center, radius=3.0), studio.status([codes.VISIBLE])
    for surface, shows in ((17.2, True), (16.8, False)):  # a surface within the sphere, and one before it
        for matrix, depth in ((studio.perspective(), studio.depth(surface)),
                              (studio.orthographic(), (surface - 0.5) / (200.0 - 0.5))):
            picture = studio.picture(matrix, lambda o: o.draw_points(spheres, status), depth=depth)
            assert is_color(studio.at(picture, matrix, center[0]), palette.REASON_COLORS[codes.VISIBLE]) == shows


def test_far_from_the_origin_nothing_trembles(studio, is_color):
    origin = np.array([4e6, -3e6, 1e6])  # float32 steps of 0.25 there; these numbers are exact
    matrix = studio.perspective(origin)
    centers = origin + np.array([(-3.0, 2.0, -12.0), (3.5, -2.0, -12.0)])
    spheres, status = studio.spheres(centers), studio.status([codes.VISIBLE, codes.RULE])
    picture = studio.picture(matrix, lambda o: o.draw_points(spheres, status))
    for center, reason in zip(centers, (codes.VISIBLE, codes.RULE)):
        assert is_color(studio.at(picture, matrix, center), palette.REASON_COLORS[reason])


def test_the_last_of_a_million(studio, is_color):
    count = 1_000_000
    centers = np.full((count, 3), (-3.0, 2.0, -12.0))
    centers[-1] = 3, -2, -12
    words = np.full(count, codes.FREE, np.uint32)
    words[-1] = codes.VISIBLE
    spheres, status, boxes = studio.spheres(centers), studio.status(words), studio.boxes(centers[:4], centers[:4])
    draws = []
    make = studio.overlay._batch

    class Counting:
        def __init__(self, batch):
            self.batch = batch

        def draw_instanced(self, shader, **options):
            draws.append(options)
            self.batch.draw_instanced(shader, **options)

    studio.overlay._batch = lambda *mesh: Counting(make(*mesh))
    assert count > BOX_LIMIT
    matrix = studio.perspective()
    picture = studio.picture(matrix, lambda o: o.draw_instances(spheres, boxes, status), scale=2)
    assert is_color(studio.at(picture, matrix, centers[-1]), palette.REASON_COLORS[codes.VISIBLE])
    assert len(draws) == 1
    short = studio.picture(matrix, lambda o: o.draw_instances(spheres, boxes, status, count - 1))
    assert not short[..., :3].any()


def test_boxes_up_to_the_limit_and_points_past_it(studio):
    boxes, spheres, status = studio.boxes(CENTERS - HALF, CENTERS + HALF), studio.spheres(CENTERS), studio.status([codes.VISIBLE] * 4)
    matrix = studio.perspective()
    by_shape = {shape: studio.picture(matrix, lambda o: o.draw_instances(spheres, boxes, status, shape=shape))
                for shape in ("boxes", "points")}
    for limit, shape in ((4, "boxes"), (3, "points")):
        studio.overlay.box_limit = limit
        picture = studio.picture(matrix, lambda o: o.draw_instances(spheres, boxes, status))
        assert (picture == by_shape[shape]).all()
    assert not (by_shape["boxes"] == by_shape["points"]).all()


def test_modes_and_reasons_by_wrong_names(studio):
    spheres, status = studio.spheres(CENTERS), studio.status([0] * 4)
    with pytest.raises(InputError, match="no overlay mode 'colour'.*visibility, lod"):
        studio.picture(studio.perspective(), lambda o: o.draw_points(spheres, status, mode="colour"))
    with pytest.raises(InputError, match="no reason 'occluded'"):
        palette.reason_bits("visible", "occluded")
