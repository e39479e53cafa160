// Compaction, step 2: how many visible instances lie before each block, and in all. One work group; each thread takes a run of
// blocks.
#define MAPPING 0
#include "include/groups.glsl"
#include "include/scan_group.glsl"

void main()
{
  uint run = (cull_counts.block_count + GROUP_SIZE - 1u) / GROUP_SIZE;
  uint first = thread_in_group() * run;
  uint last = min(first + run, cull_counts.block_count);
  uint total = 0u;
  for (uint block = first; block < last; block++) {
    total += load_block_counts(block);
  }
  uvec2 sums = scan_group(total);
  uint before = sums.x;
  for (uint block = first; block < last; block++) {
    store_block_offsets(block, before);
    before += load_block_counts(block);
  }
  if (thread_in_group() == 0u) {
    store_block_offsets(cull_counts.block_count, sums.y);
  }
}
