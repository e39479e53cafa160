"""The live tables against a plain dict of records, through any edits."""

import numpy as np
from gpuscene.core import ids, layout
from gpuscene.core.conventions import PRESETS
from gpuscene.core.culling.bounds import instance_bounds
from gpuscene.core.culling.draws import draw_slots, primitive_runs
from gpuscene.core.live.options import LiveOptions
from gpuscene.core.live.tables import LiveTables
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from live_factory import custom, key_of, matrix, rows_of, store

OWNERS = [f"Object {letter}" for letter in "ABCDEF"]
CHILDREN = st.dictionaries(st.integers(0, 12), st.tuples(st.integers(0, 5), st.integers(0, 30)), max_size=12)
AXES = st.sampled_from(["blender", "unreal", "unity"])
BOUNDS = ("center", "radius", "box_min", "box_max", "cull_radius", "drawable")
COLUMNS = ("transforms", "data", "keys", "owners", "sources", "alive")
SHOWN = np.uint32(layout.INSTANCE_VISIBLE)


def records_of(rows) -> dict:
    """key -> (owner, source, primitive of the store, bytes of the transform, bytes of the channels) of `LiveRows`."""
    columns = zip(rows.keys, rows.owners, rows.sources, rows.transforms, rows.data)
    return {int(key): (int(owner), rows.names[source], int(data["primitive_id"]), transform.tobytes(),
                       data["custom_data"].tobytes()) for key, owner, source, transform, data in columns}


def table_bytes(scene) -> dict:
    return {name: np.ascontiguousarray(array).tobytes() for name, array in scene.tables.items()}


class Model(RuleBasedStateMachine):
    """`objects`: what the scene has. `hidden`: owners that are hidden; what was hidden of them is in `kept` (key -> record)."""

    @initialize(axes=AXES, objects=st.dictionaries(st.sampled_from(OWNERS), CHILDREN))
    def start(self, axes, objects):
        self.convention = PRESETS[axes]
        self.extraction, self.primitives = store(6, self.convention)
        objects = {owner: children for owner, children in objects.items() if children}
        self.objects, self.kept = objects, {}
        self.tables = LiveTables.build(self.rows(objects), self.primitives, self.convention, options=LiveOptions())
        self.last = self.copy()
        self.layout_version = self.tables.layout_version

    def rows(self, objects, seed=0):
        count = sum(map(len, objects.values()))
        return rows_of(objects, self.extraction, self.primitives, self.convention, np.random.default_rng(seed).permutation(count))

    def copy(self):
        tables = self.tables
        columns = {name: getattr(tables, name).copy() for name in COLUMNS}
        return columns | {name: getattr(tables.bounds, name).copy() for name in BOUNDS}

    def expect(self, changes, before, after, kept_before):
        """`before` and `after`: shown records of the owners in question."""
        there = before | kept_before
        same_primitive = {k for k in after if k in there and there[k][2] == after[k][2]}
        assert changes.added == len(after) - len(same_primitive)
        # A record that was hidden differs by its flag.
        changed = {k for k in same_primitive if k in kept_before or before[k] != after[k]}
        assert changes.changed == len(changed) and changes.unchanged == len(same_primitive) - len(changed)

    @rule(owner=st.sampled_from(OWNERS), children=CHILDREN)
    def edit(self, owner, children):
        before = records_of(self.rows({owner: self.objects.get(owner, {})}))
        kept = {k: r for k, r in self.kept.items() if r[0] == int(ids.name_key(owner))}
        before = {k: r for k, r in before.items() if k not in kept}
        self.objects[owner] = children
        rows = self.rows({owner: children})
        changes = self.tables.apply(rows, np.array([ids.name_key(owner)], np.uint64))
        self.expect(changes, before, records_of(rows), kept)
        if children:
            self.kept = {k: r for k, r in self.kept.items() if k not in kept}
        else:
            self.objects.pop(owner)

    @rule(objects=st.dictionaries(st.sampled_from(OWNERS), CHILDREN), seed=st.integers(0, 99), merge=st.booleans())
    def edit_all(self, objects, seed, merge):
        before = {k: r for k, r in records_of(self.rows(self.objects)).items() if k not in self.kept}
        kept = dict(self.kept)
        self.objects = {**self.objects, **objects} if merge else objects
        self.objects = {owner: children for owner, children in self.objects.items() if children}
        rows = self.rows(self.objects, seed)
        self.expect(self.tables.apply(rows), before, records_of(rows), kept)
        seen = {int(ids.name_key(owner)) for owner in self.objects}
        self.kept = {k: r for k, r in self.kept.items() if r[0] not in seen}

    @rule(seed=st.integers(0, 99))
    def same_again(self, seed):
        """All hidden ones are shown, nothing else changes; the second time nothing at all."""
        self.edit_all({}, seed, True)
        self.tables.take_dirty()
        version = self.tables.version
        rows = self.rows(self.objects, seed)
        for _ in range(2):
            assert self.tables.apply(rows) == (0, 0, 0, len(rows))
        assert self.tables.version == version and not len(self.tables.take_dirty())
        self.last = self.copy()

    @rule(data=st.data(), seed=st.integers(0, 30), with_custom=st.booleans())
    def move(self, data, seed, with_custom):
        owners = [owner for owner in self.objects if not any(r[0] == int(ids.name_key(owner)) for r in self.kept.values())]
        if not owners:
            return
        owner = data.draw(st.sampled_from(owners))
        child = data.draw(st.sampled_from(sorted(self.objects[owner])))
        primitive, before = self.objects[owner][child]
        # The flag of odd seeds is no matter of a move.
        seed = seed // 2 * 2 + before % 2
        slot = self.tables.slot_of_key(key_of(owner, child))
        given = matrix(seed)[None]
        unchanged = given.copy()
        self.tables.patch([slot], given, custom(seed)[None])
        assert given.tobytes() == unchanged.tobytes()
        if not with_custom:  # once more, without: nothing changes
            self.tables.take_dirty()
            self.last = self.copy()
            assert self.tables.patch(np.array([slot]), given) == 0 and not len(self.tables.take_dirty())
        self.objects[owner][child] = primitive, seed

    @rule(owner=st.sampled_from(OWNERS))
    def hide(self, owner):
        key = ids.name_key(owner)
        capacity, layout_version = self.tables.capacity, self.tables.layout_version
        records = {k: r for k, r in records_of(self.rows({owner: self.objects.get(owner, {})})).items() if k not in self.kept}
        assert self.tables.hide(key) == len(records)
        assert (self.tables.capacity, self.tables.layout_version) == (capacity, layout_version)
        self.kept |= records

    @rule(owner=st.sampled_from(OWNERS))
    def remove(self, owner):
        key = int(ids.name_key(owner))
        gone = {key_of(owner, child) for child in self.objects.pop(owner, {})} | {k for k, r in self.kept.items() if r[0] == key}
        assert self.tables.remove(np.array([key], np.uint64)) == len(gone)
        self.kept = {k: r for k, r in self.kept.items() if r[0] != key}

    @rule()
    def compact(self):
        self.tables.compact()
        hidden = {r[0] for r in self.kept.values()}
        self.objects = {owner: c for owner, c in self.objects.items() if int(ids.name_key(owner)) not in hidden}
        self.kept = {}
        assert self.tables.fragmentation == 0 and self.tables.hidden_count == 0
        used = self.tables.keys[self.tables.alive]
        assert self.tables.names == sorted({f"mesh of {owner}" for owner in self.objects})
        # Ascending within each primitive; primitives by their smallest.
        first_row, row_count = primitive_runs(self.tables.data["primitive_id"][self.tables.alive], len(self.tables.primitives))
        runs = [used[first:first + count] for first, count in zip(first_row, row_count)]
        assert all((np.diff(run.astype(object)) > 0).all() for run in runs)
        assert [run[0] for run in runs] == sorted(run[0] for run in runs)

    @rule(scale=st.sampled_from([1.0, 1.5]), distance=st.sampled_from([0.0, 25.0]))
    def options(self, scale, distance):
        self.tables.set_options(LiveOptions(bounds_scale=scale, cull_distance=distance))

    def shown(self):
        """Records that are to be shown."""
        return {k: r for k, r in records_of(self.rows(self.objects)).items() if k not in self.kept}

    @invariant()
    def records_are_those_of_the_model(self):
        tables = self.tables
        flags = tables.transforms["flags"]
        expected = self.shown()
        found, hidden = {}, {}
        for slot in np.flatnonzero(tables.alive).tolist():
            record = (int(tables.owners[slot]), tables.names[tables.sources[slot]],
                      self.primitives.names.index(tables.primitives.names[tables.data["primitive_id"][slot]]),
                      tables.transforms[slot].tobytes(), tables.data["custom_data"][slot].tobytes())
            (found if flags[slot] & SHOWN else hidden)[int(tables.keys[slot])] = record
        assert found == expected
        assert hidden.keys() == self.kept.keys()
        for key, record in hidden.items():
            flag_at = layout.INSTANCE_TRANSFORM.offsets["flags"]
            kept = bytearray(self.kept[key][3])
            kept[flag_at] &= ~layout.INSTANCE_VISIBLE
            assert record[3] == bytes(kept) and record[:3] == self.kept[key][:3] and record[4] == self.kept[key][4]
        assert (tables.count, tables.hidden_count) == (len(found), len(hidden))

    @invariant()
    def slots_lie_in_their_segments(self):
        tables, segments = self.tables, self.tables.segments
        primitive = tables.data["primitive_id"]
        for number, (first, capacity) in enumerate(zip(segments.first.tolist(), segments.capacity.tolist())):
            assert (primitive[first:first + capacity] == number).all()
            # No slot past the ones in use is alive, and the holes are those below that are not.
            assert not tables.alive[first + segments.used[number]:first + capacity].any()
        assert segments.total == tables.capacity == len(tables.transforms) == len(tables.bounds)
        holes = int(segments.used.sum()) - np.count_nonzero(tables.alive)
        assert tables.fragmentation == (holes / (holes + np.count_nonzero(tables.alive)) if holes else 0)
        free = ~tables.alive
        assert not tables.transforms["flags"][free].any() and not tables.keys[free].any()
        assert not tables.bounds.drawable[free].any()
        assert np.isfinite(tables.bounds.box_min).all() and np.isfinite(tables.bounds.box_max).all()
        draws = draw_slots(tables.capacity_scene())
        primitive_of_draw = tables.primitives.tables["batches"]["primitive_id"][draws["batch"]]
        assert (draws["row_count"] == segments.capacity[primitive_of_draw]).all()

    @invariant()
    def rows_are_found(self):
        tables = self.tables
        for owner in OWNERS:
            expected = np.flatnonzero(tables.alive & (tables.owners == ids.name_key(owner)))
            assert np.array_equal(tables.slots_of(ids.name_key(owner)), expected)
        keys = np.array([1, *tables.keys[tables.alive][::-1].tolist(), 1], np.uint64)
        assert tables.slot_of_key(keys).tolist() == [-1, *np.flatnonzero(tables.alive)[::-1].tolist(), -1]

    @invariant()
    def whatever_differs_is_dirty(self):
        dirty = self.tables.take_dirty()
        assert (np.diff(dirty) > 0).all()
        now = self.copy()
        if self.tables.layout_version != self.layout_version:
            self.layout_version = self.tables.layout_version
        else:
            differs = np.zeros(self.tables.capacity, bool)
            for name, array in now.items():
                rows = np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1 if len(array) else 1)
                differs |= (rows != np.ascontiguousarray(self.last[name]).view(np.uint8).reshape(rows.shape)).any(axis=1)
            assert set(np.flatnonzero(differs).tolist()) <= set(dirty.tolist())
        self.last = now

    @invariant()
    def bounds_are_those_of_the_dense_scene(self):
        tables, scene = self.tables, self.tables.scene()
        expected = instance_bounds(scene, tables.options.bounds_scale)
        slot_of = {int(key ^ (key >> np.uint64(32))) & 0xFFFFFFFF: tables.slot_of_key(key) for key in tables.keys[tables.alive]}
        slots = np.array([slot_of[i] for i in scene["instance_data"]["instance_id"].tolist()], np.int64)
        drawable = expected.drawable
        for name in ("center", "radius", "box_min", "box_max", "drawable"):
            assert getattr(tables.bounds, name)[slots][drawable].tobytes() == getattr(expected, name)[drawable].tobytes(), name
        assert not tables.bounds.drawable[slots][~drawable].any() and not tables.bounds.radius[slots][~drawable].any()
        limit = [own if own > 0 else tables.options.cull_distance for own in expected.cull_radius.tolist()]
        assert tables.bounds.cull_radius[slots].tolist() == limit

    @invariant()
    def compacted_it_is_a_fresh_scene(self):
        fresh = LiveTables.build(self.rows({owner: {c: what for c, what in children.items() if key_of(owner, c) not in self.kept}
                                            for owner, children in self.objects.items()}, 7),
                                 self.primitives, self.convention)
        mine, other = self.tables.scene(), fresh.scene()
        assert table_bytes(mine) == table_bytes(other)
        assert (mine.sources, mine.primitive_names, mine.materials) == (other.sources, other.primitive_names, other.materials)
        fresh.compact()
        assert table_bytes(fresh.scene()) == table_bytes(other)


TestModel = Model.TestCase
TestModel.settings = settings(max_examples=12, stateful_step_count=15, deadline=None)
