// The vertices of all characters, a work group to a block of one character's, at each age: what particles then lie between.
#include "include/groups.glsl"
#include "skinning/blend.glsl"

void main()
{
  uint group = group_index();
  uint age = age_of(group, skin_run.vertex_block_count);
  if (age >= skin_run.age_count || group >= (age + 1u) * skin_run.vertex_block_count) {
    return;
  }
  SkinBlock block = load_skin_blocks(group - age * skin_run.vertex_block_count);
  SkinCharacter character = load_skin_characters(block.character);
  uint v = block.first + thread_in_group();
  if (v >= character.vertex_count || age >= character.pose_count) {
    return;
  }
  vec3 position = skin_vertex(character, pose_row(age) + character.first_bone, v);
  store_skinned_positions(age * skin_run.skinned_rows + character.first_skinned + v, vec4(position, 1.0));
}
