// Particles on the skin, a thread to each: core/skinning/gpu_tables.particle_positions, operation by operation.
#include "include/groups.glsl"

// float32 of 1 / 65535
#define PER_SHORT uintBitsToFloat(0x37800080u)

void main()
{
  uint p = thread_index();
  if (p >= skin_counts.particle_count) {
    return;
  }
  SkinParticle particle = load_skin_particles(p);
  precise float second = float(particle.shares & 0xFFFFu) * PER_SHORT;
  precise float third = float(particle.shares >> 16u) * PER_SHORT;
  precise float first = (1.0 - second) - third;
  vec3 a = load_skinned_positions(particle.first).xyz;
  vec3 b = load_skinned_positions(particle.second).xyz;
  vec3 c = load_skinned_positions(particle.third).xyz;
  precise vec3 position = ((first * a + second * b) + third * c) + skin_counts.debug_offset.xyz;
  store_particle_positions(p, vec4(position, 1.0));
}
