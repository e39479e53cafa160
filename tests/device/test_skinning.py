"""Skinning on the GPU gives numpy's bits, through both transports."""

import numpy as np
import pytest
from gpuscene.core.skinning import pack
from gpuscene.core.skinning.blend import blend_packed
from gpuscene.core.skinning.gpu_tables import PER_SHORT, SkinBatch, particle_positions, skin_particles, skinned_positions
from gpuscene.core.skinning.segments import BoneBuffer
from gpuscene.core.skinning.surface import on_surface
from gpuscene.device.passes.skin import GpuSkins
from skin_factory import random_matrices, random_skin


def bits(array):
    return np.ascontiguousarray(array).view(np.uint32)


def crowd(count, vertices=300):
    """(batch, bone buffer, packed, particles): characters of different sizes in one buffer, one of them gone again."""
    buffer, packed = BoneBuffer(16), []
    buffer.allocate("gone", 5)
    for seed in range(count):
        packed.append(pack(random_skin(seed, vertices=vertices + 7 * seed)))
        buffer.allocate(seed, packed[-1].bone_count)
    buffer.free("gone")
    pose(buffer, packed, 0)
    batch = SkinBatch.of(packed, [buffer[seed] for seed in range(count)])
    particles = np.concatenate(
        [
            skin_particles(on_surface(p.skin.rest, p.skin.triangles, 100, seed), first)
            for seed, (p, first) in enumerate(zip(packed, batch.first_vertices.tolist(), strict=True))
        ]
    )
    return batch, buffer, packed, particles


def pose(buffer, packed, frame):
    for seed, each in enumerate(packed):
        buffer.write(seed, each.matrices(random_matrices(seed + 100 * frame, offset=3.0)))


def test_the_constants_are_numpys():
    assert (
        np.float32(1 / 65535).view(np.uint32) == 0x37800080 == PER_SHORT.view(np.uint32)
        and np.float32(1 / 255).view(np.uint32) == 0x3B808081
    )


@pytest.mark.parametrize("group_size", [64, 256])
def test_bit_for_bit_every_frame(device, transport, group_size):
    batch, buffer, packed, particles = crowd(4)
    skins = GpuSkins(batch, particles, buffer.capacity, transport, group_size)
    for frame in range(3):
        pose(buffer, packed, frame)
        assert skins.upload(buffer.rows) == buffer.capacity * 48
        skins.run()
        expected = skinned_positions(batch, buffer.rows)
        found = skins.positions.read()
        assert np.array_equal(bits(found), bits(expected)) and skins.past_segment() == 0
        assert np.array_equal(bits(skins.particles.read()), bits(particle_positions(particles, expected)))
        # The same as character by character on the CPU.
        for seed, (each, first) in enumerate(zip(packed, batch.first_vertices.tolist(), strict=True)):
            alone = blend_packed(each, buffer.rows[buffer[seed].rows])
            assert np.array_equal(bits(found[first : first + len(alone), :3]), bits(alone))


def test_a_debug_offset_moves_every_particle(device, transport):
    batch, buffer, _, particles = crowd(2)
    skins = GpuSkins(batch, particles, buffer.capacity, transport)
    skins.upload(buffer.rows)
    skins.set_debug_offset((0.5, -1, 2))
    skins.run()
    positions = skinned_positions(batch, buffer.rows)
    assert np.array_equal(bits(skins.particles.read()), bits(particle_positions(particles, positions, (0.5, -1, 2))))
    assert (
        np.abs(
            particle_positions(particles, positions, (0.5, -1, 2)) - particle_positions(particles, positions) - [0.5, -1, 2, 0]
        ).max()
        < 1e-5
    )


def test_reading_past_a_segment_is_counted_and_reads_its_own_first_bone(device, transport):
    batch, buffer, packed, _ = crowd(3)
    vertices = batch.vertices.copy()
    damaged = [0, 5, len(vertices) - 1]
    vertices["bone_indices_high"][damaged] = 0xFFFF0007  # influence 2: bone 7 of at most 7, influence 3: bone 65,535
    batch = SkinBatch(vertices, batch.characters, batch.first_vertices)
    skins = GpuSkins(batch, np.zeros(0, "u4"), buffer.capacity, transport)
    skins.upload(buffer.rows)
    skins.run()
    expected = skinned_positions(batch, buffer.rows)
    assert np.array_equal(bits(skins.positions.read()), bits(expected)) and skins.past_segment() == 6
    assert np.flatnonzero(expected[:, 3]).tolist() == damaged


def test_particles_lie_where_their_points_do(device, transport):
    """16-bit shares: at most 2 / 131,070 of a triangle's extent off."""
    batch, buffer, packed, particles = crowd(1)
    skins = GpuSkins(batch, particles, buffer.capacity, transport)
    skins.upload(buffer.rows)
    skins.run()
    positions = skinned_positions(batch, buffer.rows)[:, :3]
    points = on_surface(packed[0].skin.rest, packed[0].skin.triangles, 100, 0)
    extent = np.ptp(positions[points.vertices], axis=1).max()
    assert np.abs(skins.particles.read()[:, :3] - points.at(positions)).max() < 2 / 131_070 * extent + 1e-5
