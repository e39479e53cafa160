// Visibility in cluster order: instances of leaves outside are dropped unread, those of leaves inside are not asked for the
// frustum,
// the others go through the exact test. Leaves lie in the order of their instances; a word overlaps one to three of them.
// LEAF_TEST 1: leaves are tested here, from their boxes alone (on a GPU testing them all costs less than a dispatch a level).
// A box around the leaves of each block of words comes first: where it lies outside, the block is done after one load.
// LEAF_TEST 0: cull_nodes.glsl went down level by level and left node_states.
// ASKS_INSIDE: some instance is hidden, has a cull radius, or there is a rule, so those inside are asked for that.
// MAPPING as in cull_flat.glsl.
#if MAPPING == 2
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#endif
#include "include/groups.glsl"
#include "include/instance_test.glsl"
#include "include/node_test.glsl"
#include "include/count_words.glsl"
#if MAPPING != 0
#include "include/unroll.glsl"
#include "include/transpose_bits.glsl"
#include "include/rest_together.glsl"
#endif

uint leaf_state(uint leaf, ClusterNode node)
{
#if LEAF_TEST
  return node_state(node);
#else
  return load_node_states(load_leaf_nodes(leaf));
#endif
}

// Bits from `begin` to `end`, positions within a word.
uint bits_between(uint begin, uint end)
{
  uint below_end = end >= BITS_PER_WORD ? 0xFFFFFFFFu : (1u << end) - 1u;
  return below_end & ~((1u << begin) - 1u);
}

// Blocks of BLOCK_WORDS words; a work group takes one at a time.
uint block_total()
{
  return (cull_counts.word_count + BLOCK_WORDS - 1u) / BLOCK_WORDS;
}

#if LEAF_TEST
// True where nothing of a block can be visible. Instances past the leaves are in no box.
bool block_outside(uint block)
{
  ClusterNode node = load_block_boxes(block);
  return (block + 1u) * BLOCK_WORDS * BITS_PER_WORD <= cull_counts.built_count && box_outside(node.box_min, node.box_max);
}

void write_nothing(uint block)
{
  for (uint w = thread_in_group(); w < BLOCK_WORDS; w += GROUP_SIZE) {
    if (block * BLOCK_WORDS + w < cull_counts.word_count) {
      store_visibility(block * BLOCK_WORDS + w, 0u);
    }
  }
  if (thread_in_group() == 0u) {
    store_block_counts(block, 0u);
  }
}
#endif

// x: bits whose instances need the whole test; y: bits inside the frustum for sure.
uvec2 classify(uint w)
{
  uint first = w * BITS_PER_WORD;
  uint count = min(cull_counts.instance_count - first, BITS_PER_WORD);
  uvec2 bits = uvec2(0u);
  for (uint leaf = load_word_leaves(w); leaf < cull_counts.leaf_count; leaf++) {
    ClusterNode node = load_leaf_clusters(leaf);
    if (node.first >= first + count) {
      break;
    }
    uint state = leaf_state(leaf, node);
    uint end = min(node.first + (node.count & ~CLUSTER_LEAF), first + count) - first;
    uint range = bits_between(max(node.first, first) - first, end);
    bits.x |= state == NODE_PARTIAL ? range : 0u;
    bits.y |= state == NODE_INSIDE ? range : 0u;
  }
  // Past the leaves lies what was inserted since the trees were built: always tested.
  uint built = cull_counts.built_count;
  if (first + count > built) {
    bits.x |= bits_between(max(built, first) - first, count);
  }
  return bits;
}

#if MAPPING == 0
void cull_block(uint block)
{
  begin_count();
  uint w = block * GROUP_SIZE + thread_in_group();
  uint word = 0u;
  if (w < cull_counts.word_count) {
    uint first = w * BITS_PER_WORD;
    uvec2 bits = classify(w);
    uint open = 0u;
    for (uint left = bits.x; left != 0u; left &= left - 1u) {
      uint bit = uint(findLSB(left));
      open |= uint(passes_sphere(load_spheres(first + bit))) << bit;
    }
    word = open | bits.y;
    for (; open != 0u; open &= open - 1u) {
      uint bit = uint(findLSB(open));
      word ^= uint(!passes_rest(first + bit)) << bit;
    }
#if ASKS_INSIDE
    for (uint left = bits.y; left != 0u; left &= left - 1u) {
      uint bit = uint(findLSB(left));
      word ^= uint(!passes_inside(first + bit)) << bit;
    }
#endif
    store_visibility(w, word);
  }
  add_count(uint(bitCount(word)));
  end_count(block);
}
#else
void cull_block(uint block)
{
  begin_count();
  uint lane = thread_in_group() & 31u;
  uint first_word = block * BLOCK_WORDS + (thread_in_group() >> 5) * WORDS_PER_SUBGROUP;
  uint slot = (thread_in_group() >> 5) * WORDS_PER_SUBGROUP; // of these 32 threads in shared memory
  if (lane < WORDS_PER_SUBGROUP) {
    shared_classes[slot + lane] = first_word + lane < cull_counts.word_count ? classify(first_word + lane) : uvec2(0u);
  }
  barrier();
  vec4 spheres[WORDS_PER_SUBGROUP];
  uint inside = 0u;
  UNROLL for (uint k = 0u; k < WORDS_PER_SUBGROUP; k++) {
    uvec2 bits = shared_classes[slot + k];
    bool asked = ((bits.x >> lane) & 1u) != 0u;
    spheres[k] = asked ? load_spheres((first_word + k) * BITS_PER_WORD + lane) : vec4(0.0, 0.0, 0.0, -1.0);
    inside |= ((bits.y >> lane) & 1u) << k;
  }
  uint open = 0u;
  UNROLL for (uint k = 0u; k < WORDS_PER_SUBGROUP; k++) {
    open |= uint(passes_sphere(spheres[k])) << k;
  }
  uint mine = open | inside;
#if ASKS_INSIDE
  for (; inside != 0u; inside &= inside - 1u) {
    uint k = uint(findLSB(inside));
    mine ^= uint(!passes_inside((first_word + k) * BITS_PER_WORD + lane)) << k;
  }
#endif
  uint word = rest_together(mine, open, block, slot);
  if (lane < WORDS_PER_SUBGROUP && first_word + lane < cull_counts.word_count) {
    store_visibility(first_word + lane, word);
  }
  add_count(uint(bitCount(word)));
  end_count(block);
}
#endif

void main()
{
  begin_view();
#if LEAF_TEST
  if (group_index() < block_total() && block_outside(group_index())) {
    write_nothing(group_index());
    return;
  }
#endif
  cull_block(group_index());
}
