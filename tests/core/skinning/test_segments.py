"""One buffer for all characters: against a model that only knows who wrote what."""

import numpy as np
import pytest
from gpuscene.core.errors import LimitError
from gpuscene.core.skinning.segments import MAX_BONES, BoneBuffer, Segment
from hypothesis import given
from hypothesis import strategies as st


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 40)), max_size=60))
def test_characters_come_and_go_without_disturbing_others(steps):
    buffer, model = BoneBuffer(8), {}
    for stamp, (name, count) in enumerate(steps, 1):
        if name in model:
            buffer.free(name)
            del model[name]
        else:
            segment = buffer.allocate(name, count)
            assert segment.count == count
            buffer.write(name, np.full((count, 3, 4), stamp))
            model[name] = (count, stamp, segment)
        taken = np.zeros(buffer.capacity, int)
        for name_, (count_, stamp_, segment) in model.items():
            assert buffer[name_] == segment and name_ in buffer  # nobody moved
            assert (buffer.rows[segment.start : segment.stop] == stamp_).all()
            taken[segment.start : segment.stop] += 1
        assert taken.max(initial=0) <= 1 and buffer.used == taken.sum() and not buffer.rows[taken == 0].any()
    for name in list(model):
        buffer.free(name)
    before = buffer.generation
    assert buffer.allocate("all", buffer.capacity) == Segment(0, buffer.capacity) and buffer.generation == before  # joined again


def test_growing_keeps_what_is_there():
    buffer = BoneBuffer(4)
    buffer.allocate("a", 3)
    buffer.write("a", np.full((3, 3, 4), 5.0))
    assert buffer.allocate("b", 6) == Segment(3, 6) and buffer.capacity == 16 and buffer.generation == 1
    assert (buffer.rows[:3] == 5).all()


def test_what_cannot_be():
    buffer = BoneBuffer(4)
    buffer.allocate("a", 2)
    with pytest.raises(ValueError, match="'a' has a segment"):
        buffer.allocate("a", 1)
    with pytest.raises(ValueError, match="2 bones, not 3"):
        buffer.write("a", np.zeros((3, 3, 4)))
    with pytest.raises(LimitError, match="bones of all characters"):
        buffer.allocate("huge", MAX_BONES)
    with pytest.raises(KeyError):
        buffer.free("nobody")
    assert buffer.allocate("b", 2) == Segment(2, 2)
