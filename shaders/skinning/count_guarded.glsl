// How many bone indices point past their character's segment: a sum for each thread, over its vertex of a block.
#include "include/groups.glsl"
#include "skinning/blend.glsl"

void main()
{
  uint group = group_index();
  if (group >= skin_run.vertex_block_count) {
    return;
  }
  SkinBlock block = load_skin_blocks(group);
  SkinCharacter character = load_skin_characters(block.character);
  uint v = block.first + thread_in_group();
  store_guarded(thread_index(), v < character.vertex_count ? past_segment(character, v) : 0u);
}
