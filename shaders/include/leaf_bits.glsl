// What the leaves of a block say of its instances: shared_partial has the bits that need the whole test, shared_inside those
// inside the
// frustum for sure. Each leaf is tested once, a thread to a leaf.

// Bits from `begin` to `end`, positions within a word.
uint bits_between(uint begin, uint end)
{
  uint below_end = end >= BITS_PER_WORD ? 0xFFFFFFFFu : (1u << end) - 1u;
  return begin >= BITS_PER_WORD ? 0u : below_end & ~((1u << begin) - 1u);
}

void mark_leaf(uint leaf, uint start)
{
  ClusterNode node = load_leaf_clusters(leaf);
  uint state = node_state(node);
  if (state == NODE_OUTSIDE) {
    return;
  }
  uint begin = max(node.first, start) - start;
  uint end = min(node.first + (node.count & ~CLUSTER_LEAF) - start, BLOCK_WORDS * BITS_PER_WORD);
  for (uint w = begin / BITS_PER_WORD; w * BITS_PER_WORD < end; w++) {
    uint at = w * BITS_PER_WORD;
    uint bits = bits_between(max(begin, at) - at, min(end - at, BITS_PER_WORD));
    if (state == NODE_INSIDE) {
      atomicOr(shared_inside[w], bits);
    } else {
      atomicOr(shared_partial[w], bits);
    }
  }
}

// Every thread of the group calls it.
void mark_leaves(uint block)
{
  uint start = block * BLOCK_WORDS * BITS_PER_WORD;
  ClusterNode box = load_block_boxes(block);
  uint mine = thread_in_group();
  if (mine < BLOCK_WORDS) {
    // Past the leaves lies what was inserted since the trees were built: always tested.
    uint first = start + mine * BITS_PER_WORD;
    uint built = clamp(cull_counts.built_count, first, first + BITS_PER_WORD) - first;
    uint count = clamp(cull_counts.instance_count, first, first + BITS_PER_WORD) - first;
    shared_partial[mine] = built < count ? bits_between(built, count) : 0u;
    shared_inside[mine] = 0u;
  }
  barrier();
  for (uint k = mine; k < box.count; k += GROUP_SIZE) {
    mark_leaf(box.first + k, start);
  }
  barrier();
}
