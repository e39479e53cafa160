// Culling through the leaves of cluster trees, the list of visible rows and the indirect arguments in a single pass. Words and
// list are
// those of cull_tree.glsl and scatter.glsl; MAPPING is 1 or 2 of them. Tickets go to the blocks that may hold anything visible,
// so
// few work groups do all there is, and each goes on to the next while there are any.
#if MAPPING == 2
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#endif
#include "include/groups.glsl"
#include "include/instance_test.glsl"
#include "include/node_test.glsl"
#include "include/unroll.glsl"
#include "include/transpose_bits.glsl"
#include "include/rest_together.glsl"
#include "include/scan_group.glsl"
#include "include/chain.glsl"
#include "include/list_block.glsl"
#include "include/active_blocks.glsl"
#include "include/leaf_bits.glsl"

// Words of the blocks without anything visible, a share of them to each group.
void write_nothing()
{
  uint each = (cull_counts.block_count + group_total() - 1u) / group_total();
  uint first = group_index() * each * BLOCK_WORDS;
  uint last = min(first + each * BLOCK_WORDS, cull_counts.word_count);
  for (uint w = first + thread_in_group(); w < last; w += GROUP_SIZE) {
    if (!is_active(w / BLOCK_WORDS)) {
      store_visibility(w, 0u);
    }
  }
}

void cull_block(uint block)
{
  uint lane = thread_in_group() & 31u;
  uint slot = (thread_in_group() >> 5) * WORDS_PER_SUBGROUP;
  uint first_word = block * BLOCK_WORDS + slot;
  mark_leaves(block);
  vec4 spheres[WORDS_PER_SUBGROUP];
  uint inside = 0u;
  UNROLL for (uint k = 0u; k < WORDS_PER_SUBGROUP; k++) {
    bool asked = ((shared_partial[slot + k] >> lane) & 1u) != 0u;
    spheres[k] = asked ? load_spheres((first_word + k) * BITS_PER_WORD + lane) : vec4(0.0, 0.0, 0.0, -1.0);
    inside |= ((shared_inside[slot + k] >> lane) & 1u) << k;
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
}

// Blocks of tickets, in order. What lies in blocks between has no rank of its own, so a ticket also answers for the edges since
// the
// block of the ticket before. x: block; y: first edge's block. Every thread of the group calls it.
uvec2 block_of(uint ticket, uint before)
{
  uint block = active_block(ticket, before);
  if (block != NO_INDEX) {
    shared_current.x = block;
  }
  block = ticket != 0u ? active_block(ticket - 1u, before) : NO_INDEX;
  if (block != NO_INDEX) {
    shared_current.y = block + 1u;
  }
  barrier();
  return uvec2(shared_current.x, ticket != 0u ? shared_current.y : 0u);
}

// The last active block answers for all that follows.
void take_block(uint ticket, uvec2 held)
{
  uvec2 current = block_of(ticket, held.x);
  bool closes = ticket + 1u == held.y;
  cull_block(current.x);
  uint past = closes ? cull_counts.block_count : current.x + 1u;
  list_block(ticket, current.x, uvec2(edges_before(current.y), edges_before(past)), closes);
}

void list_nothing()
{
  uvec2 edges = uvec2(0u, edges_before(cull_counts.block_count));
  write_draws(edges, load_edge(thread_in_group(), edges.y), NO_INDEX / (BLOCK_WORDS * BITS_PER_WORD), 0u, 0u);
  if (thread_in_group() == 0u) {
    store_word_offsets(cull_counts.mask_words, 0u);
  }
}

void main()
{
  begin_view();
  if (thread_in_group() == 0u) {
    draw_ticket();
    shared_open = 0u;
  }
  barrier();
  find_active_blocks();
  uvec2 held = count_active_blocks(); // x: active blocks before this thread's; y: in all
  uint ticket = read_ticket();
  uint groups = group_total();
  // A ticket for each group is all where blocks are few; else each draws until there is no block for it.
  uint last_ticket = held.y <= groups ? groups - 1u : held.y + groups - 1u;
  while (ticket < held.y) {
    take_block(ticket, held);
    if (held.y <= groups) {
      break;
    }
    barrier();
    if (thread_in_group() == 0u) {
      draw_ticket();
      shared_open = 0u;
    }
    barrier();
    ticket = read_ticket();
  }
  if (held.y == 0u && ticket == 0u) {
    list_nothing();
  }
  clear_next_side();
  write_nothing();
  if (thread_in_group() == 0u && ticket == last_ticket) {
    turn_chain();
  }
}
