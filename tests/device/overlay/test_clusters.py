"""Cluster nodes: kinds, levels, and culled exactly where `decide.box_outside` says so."""

import numpy as np
import pytest
from gpuscene.core import palette
from gpuscene.core.culling import decide, gpu_streams
from gpuscene.core.culling.camera import CullView
from gpuscene.core.layout import CLUSTER_LEAF, CLUSTER_NODE

ROOT, INNER, LEAF, CULLED = palette.NODE_COLORS


def over_black(rgba):
    return np.array(rgba[:3]) * rgba[3]


def nodes_of(low, high, counts):
    rows = CLUSTER_NODE.empty(len(low))
    rows["box_min"], rows["box_max"], rows["count"] = low, high, counts
    return rows


@pytest.fixture
def tree():
    """A root, two inner nodes, three leaves and one empty leaf; with (D + 1,) level starts. Their left faces are apart in
    the picture.
    """
    low = np.array([(-8, -6, -12), (-7, -5, -12), (1, -5, -12), (-6, -4, -12), (-3, -4, -12), (2, -4, -12), (np.inf,) * 3], "f4")
    high = np.array([(8, 6, -11.5), (-1, 5, -11.5), (7, 5, -11.5), (-4, 4, -11.5), (-2, 4, -11.5), (6, 4, -11.5),
                     (-np.inf,) * 3], "f4")
    return nodes_of(low, high, [2, 2, 1] + [CLUSTER_LEAF | 4] * 4), np.array([0, 1, 3, 7])


def left_edges(nodes):
    """A point in the middle of each box's left face, towards the viewer."""
    return np.column_stack((nodes["box_min"][:, 0], np.zeros(len(nodes)), nodes["box_max"][:, 2])).astype(float)


@pytest.mark.parametrize("levels, shown", [((0, 255), {0, 1, 2, 3, 4, 5}), ((0, 0), {0}), ((1, 1), {1, 2}),
                                           ((1, 2), {1, 2, 3, 4, 5}), ((2, 9), {3, 4, 5}), ((3, 9), set()), ((2, 1), set()),
                                           ((-4, 0), {0})])
def test_levels_and_kinds(studio, is_color, tree, levels, shown):
    nodes, starts = tree
    table, matrix = studio.overlay.node_table(nodes), studio.orthographic()
    picture = studio.picture(matrix, lambda o: o.draw_clusters(table, starts, levels=levels), scale=2)
    colors = studio.at(picture, matrix, left_edges(nodes[:6]))
    for k, kind in enumerate([ROOT, INNER, INNER, LEAF, LEAF, LEAF]):
        # Two edges lie on each other in this view, the near and the far one: blended twice.
        once, twice = over_black(kind), over_black(kind) + (1 - kind[3]) * over_black(kind)
        assert bool(is_color(colors[k], once) | is_color(colors[k], twice)) == (k in shown)
    assert bool(picture[..., :3].any()) == bool(shown)


def test_a_root_that_is_a_leaf(studio, is_color, tree):
    table, matrix = studio.overlay.node_table(tree[0][3:4]), studio.orthographic()
    picture = studio.picture(matrix, lambda o: o.draw_clusters(table, [0, 1]), scale=2)
    assert is_color(studio.at(picture, matrix, left_edges(tree[0][3:4])[0]), ROOT)


def test_a_refit_moves_the_boxes(studio, is_color, tree):
    nodes, starts = tree
    table, matrix = studio.overlay.node_table(nodes), studio.orthographic()
    moved = nodes.copy()
    moved["box_min"][3, 0] -= 1.5
    table.upload(moved)
    picture = studio.picture(matrix, lambda o: o.draw_clusters(table, starts, levels=(2, 2)), scale=2)
    assert studio.at(picture, matrix, left_edges(moved)[3])[:3].any()
    assert not studio.at(picture, matrix, left_edges(nodes)[3])[:3].any()


def one_sided(plane):
    outer = np.array([plane], "f4")
    return CullView(outer, outer, np.zeros(3, "f4"), np.zeros(1), np.float32(1), True)


def test_culled_exactly_where_the_decision_says(studio):
    """A grid of small boxes, many of them within an ulp or two of the plane, under one that looks from elsewhere."""
    columns, rows = 15, 11
    x, y = np.meshgrid(np.linspace(-11.6, 11.6, columns), np.linspace(-8.6, 8.6, rows))
    low = np.column_stack((x.ravel(), y.ravel(), np.full(x.size, -12))).astype("f4")
    high = low + np.float32(0.7)
    plane = np.array([0.48, 0.64, 0.6, 0], "f4")
    # Each box's z is moved until its farthest corner is as near the plane as float32 gets, then by -2 to 2 steps.
    high[:, 2] = -((plane[0] * high[:, 0] + plane[1] * high[:, 1]) + np.float32(-4.0)) / plane[2]
    plane[3] = -4.0
    for step in range(2):
        some = np.arange(len(high)) % 5
        down, up = (np.nextafter(high[:, 2], np.float32(z)) for z in (-100, 100))
        high[:, 2] = np.where(some < 2, down, np.where(some > 2, up, high[:, 2]))
    low[:, 2] = high[:, 2] - np.float32(0.7)
    view = one_sided(plane)
    outside = decide.box_outside(view, low, high)
    assert 20 < outside.sum() < len(outside) - 20
    matrix = studio.orthographic()
    matrix[2] = 0, 0, -1 / 200, 0  # everything between z = -200 and 200
    nodes = nodes_of(np.concatenate([low[:1] - 50, low]), np.concatenate([high[:1] + 50, high]), CLUSTER_LEAF | 1)
    table, constants = studio.overlay.node_table(nodes), gpu_streams.view_constants(view)
    picture = studio.picture(matrix, lambda o: o.draw_clusters(table, [0, 1, len(nodes)], constants, (1, 1)))
    column, row = np.moveaxis(np.floor(studio.pixel(matrix, (low + high) / 2)).astype(int), -1, 0)
    for c, r, culled in zip(column, row, outside):
        cell = picture[max(r - 3, 0):r + 4, max(c - 3, 0):c + 4, :3].reshape(-1, 3).astype(int)
        brightest = cell[cell.sum(axis=1).argmax()]
        assert brightest.any()
        assert (np.ptp(brightest) < 6) == culled


def test_without_a_view_nothing_is_culled(studio, tree):
    nodes, starts = tree
    table, matrix = studio.overlay.node_table(nodes), studio.orthographic()
    everywhere, nowhere = (gpu_streams.view_constants(one_sided((0, 0, 1, d))) for d in (1000, -1000))
    pictures = [studio.picture(matrix, lambda o: o.draw_clusters(table, starts, view))
                for view in (None, everywhere, nowhere)]
    assert (pictures[0] == pictures[1]).all() and not (pictures[0] == pictures[2]).all()
    assert (np.ptp(pictures[2][..., :3].astype(int), axis=-1) < 6).all()  # all grey
