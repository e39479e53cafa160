// The particles of all characters, a work group to a block of one character's, at each age. SKIN_SHARED: between vertices
// that vertices.glsl has
// moved (or a baked texture holds); else each particle's corners are moved here. w is what it is coloured by, below 0 where
// there is no particle.
// BONES_UNIFORM: of one character, whose bones are a uniform block.
#include "include/groups.glsl"
#include "skinning/characters.glsl"
#if !SKIN_SHARED
#include "skinning/blend.glsl"
#endif
#include "skinning/point.glsl"

#if SKIN_SHARED
vec3 shared_point(SkinCharacter character, uint age, SkinPoint point)
{
#if SKIN_BAKED
  uint slot = skin_run.newest + (age > skin_run.newest ? skin_run.ring_length : 0u) - age;
#else
  uint slot = age;
#endif
  uint row = slot * skin_run.skinned_rows + character.first_skinned;
  vec3 a = load_skinned_positions(row + point.first).xyz;
#if SKIN_CORNERS > 1
  if (!is_on_vertex(point)) {
    a = between(point, a, load_skinned_positions(row + point.second).xyz, load_skinned_positions(row + point.third).xyz);
  }
#endif
  return a;
}
#endif

void main()
{
  uint group = group_index();
  uint age = age_of(group, skin_run.block_count);
  if (age >= skin_run.age_count || group >= (age + 1u) * skin_run.block_count) {
    return;
  }
  SkinBlock block = load_skin_blocks(skin_run.first_block + group - age * skin_run.block_count);
  SkinCharacter character = load_skin_characters(block.character);
  uint p = block.first + thread_in_group();
  uint row = age * skin_run.particle_rows + character.first_particle + p;
  if (p >= character.point_count || age >= character.pose_count) {
    store_particle_positions(row, vec4(0.0, 0.0, 0.0, -1.0));
    return;
  }
  SkinPoint point = point_of(character, p);
#if SKIN_SHARED
  vec3 position = shared_point(character, age, point);
#elif BONES_UNIFORM
  vec3 position = skin_point(character, 0u, point);
#else
  vec3 position = skin_point(character, pose_row(age) + character.first_bone, point);
#endif
  float value = float(age);
#if SKIN_VALUES
  value = load_skin_values(character.first_point + p);
#elif SKIN_SPEED
  value = 0.0;
  if (age == 0u && (character.flags & SKIN_HAS_BEFORE) != 0u) {
    vec4 before = load_particles_before(row);
    value = before.w < 0.0 ? 0.0 : distance(position, before.xyz) * skin_run.per_second;
  }
#endif
  store_particle_positions(row, vec4(position, value));
}
