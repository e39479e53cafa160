"""Composing does not depend on the memory order of its input: numpy arrays made of Blender's matrices are Fortran-ordered."""

import numpy as np
from gpuscene.core import transforms


def test_fortran_ordered_matrices_compose_like_any_other():
    rng = np.random.default_rng(1)
    outer, inner = rng.normal(size=(4, 4)).astype(np.float32), rng.normal(size=(3, 4, 4)).astype(np.float32)
    # Column-stored, so each (4, 4) block is the transpose of the matrix it stands for.
    expected = np.stack([(outer.astype(float) @ block.T.astype(float)).T for block in inner])
    fortran = np.stack([np.asfortranarray(block) for block in inner]).transpose(0, 2, 1).copy(order="C").transpose(0, 2, 1)
    assert not fortran.flags.c_contiguous
    np.testing.assert_allclose(transforms.compose(outer, inner), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(transforms.compose(outer, fortran), expected, rtol=1e-5, atol=1e-6)
