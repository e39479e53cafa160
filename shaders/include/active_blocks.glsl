// Which blocks of a tree can hold anything visible, a bit each in shared_active: boxes around REGION_BLOCKS blocks first, then
// those of
// the blocks. Every group finds out for itself, from a few kilobytes that all of them read.
#define REGION_BLOCKS 32u

// Instances past the leaves are in no box.
bool may_be_seen(ClusterNode node, uint past)
{
  return past * BLOCK_WORDS * BITS_PER_WORD > cull_counts.built_count || !box_outside(node.box_min, node.box_max);
}

uint region_total()
{
  return (cull_counts.block_count + REGION_BLOCKS - 1u) / REGION_BLOCKS;
}

// Every thread of the group calls it. shared_open is 0 before, and after.
void find_active_blocks()
{
  for (uint region = thread_in_group(); region < region_total(); region += GROUP_SIZE) {
    shared_active[region] = 0u;
    if (may_be_seen(load_region_boxes(region), min((region + 1u) * REGION_BLOCKS, cull_counts.block_count))) {
      shared_list[atomicAdd(shared_open, 1u)] = region;
    }
  }
  barrier();
  uint lane = thread_in_group() & 31u;
  uint count = shared_open;
  for (uint entry = thread_in_group() >> 5; entry < count; entry += 4u * (GROUP_SIZE / 32u)) {
    bool seen[4];
    UNROLL for (uint j = 0u; j < 4u; j++) { // four boxes in flight
      uint at = entry + j * (GROUP_SIZE / 32u);
      uint block = at < count ? shared_list[at] * REGION_BLOCKS + lane : cull_counts.block_count;
      seen[j] = block < cull_counts.block_count && may_be_seen(load_block_boxes(block), block + 1u);
    }
    UNROLL for (uint j = 0u; j < 4u; j++) {
      uint at = entry + j * (GROUP_SIZE / 32u);
#if MAPPING == 2
      uint bits = subgroupBallot(seen[j]).x;
      if (lane == 0u && at < count) {
        shared_active[shared_list[at]] = bits;
      }
#else
      if (seen[j]) {
        atomicOr(shared_active[shared_list[at]], 1u << lane);
      }
#endif
    }
  }
  barrier();
  if (thread_in_group() == 0u) {
    shared_open = 0u;
  }
}

bool is_active(uint block)
{
  return ((shared_active[block / REGION_BLOCKS] >> (block % REGION_BLOCKS)) & 1u) != 0u;
}

// Regions of one thread, for counting.
uvec2 own_regions()
{
  uint each = (region_total() + GROUP_SIZE - 1u) / GROUP_SIZE;
  uint first = min(thread_in_group() * each, region_total());
  return uvec2(first, min(first + each, region_total()));
}

// (active blocks before this thread's regions, active blocks in all). Every thread of the group calls it.
uvec2 count_active_blocks()
{
  uvec2 own = own_regions();
  uint count = 0u;
  for (uint region = own.x; region < own.y; region++) {
    count += uint(bitCount(shared_active[region]));
  }
  return scan_group(count);
}

// The `rank`-th active block, if it lies in this thread's regions; else NO_INDEX. `before`: active blocks before them.
uint active_block(uint rank, uint before)
{
  uvec2 own = own_regions();
  for (uint region = own.x; region < own.y && rank >= before; region++) {
    uint bits = shared_active[region];
    uint count = uint(bitCount(bits));
    if (rank - before < count) {
      for (uint k = before; k < rank; k++) {
        bits &= bits - 1u;
      }
      return region * REGION_BLOCKS + uint(findLSB(bits));
    }
    before += count;
  }
  return NO_INDEX;
}
