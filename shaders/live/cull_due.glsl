// Tree culling of the blocks that are due; the others keep their words and counts. A work group is a block.
#define main cull_main
#include "culling/cull_tree.glsl"
#undef main

void main()
{
  uint block = group_index();
  if (block < DUE_BLOCKS && load_due_blocks(block) == 0u) {
    return;
  }
  cull_main();
}
