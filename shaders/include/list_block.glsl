// The visible of one block at their place in the list, and the arguments of the draws that end there. shared_block holds the
// block's words.
#include "include/draw_arguments.glsl"

#define EDGE_END 0x80000000u

uint row_at(uint i)
{
#if HAS_ORDER
  return load_rows(i);
#else
  return i;
#endif
}

// Draws begin and end at edges, which lie in the order of their positions: first where each block's begin, then position and draw
// of each. The group that meets a draw's end writes it; whoever met its begin left the rank, plus 1, for it to take.
uint edges_before(uint block)
{
  return load_draw_edges(block);
}

uint rank_of(uint position, uint block, uint before, uint total)
{
  uint begin = block * BLOCK_WORDS * BITS_PER_WORD;
  if (position < begin) {
    return before;
  }
  if (position - begin >= BLOCK_WORDS * BITS_PER_WORD) {
    return before + total;
  }
  uint w = (position - begin) / BITS_PER_WORD;
  return before + shared_prefix[w] + uint(bitCount(shared_block[w] & bits_below(position)));
}

// An edge and its draw; loaded before they are needed.
struct Edge {
  uint position;
  uint draw;
  DrawSlot slot;
};

Edge load_edge(uint edge, uint past)
{
  Edge loaded;
  if (edge < past) {
    uint at = cull_counts.block_count + 1u + edge * 2u;
    loaded.position = load_draw_edges(at);
    loaded.draw = load_draw_edges(at + 1u);
    loaded.slot = load_draw_slots(loaded.draw % EDGE_END);
  }
  return loaded;
}

// `first_edge`: this thread's first of `edges`, if there are as many. Every thread of the group calls it.
void write_draws(uvec2 edges, Edge first_edge, uint block, uint before, uint total)
{
  uint begins = side_start(2u);
  Edge edge = first_edge;
  for (uint e = edges.x + thread_in_group(); e < edges.y; e += GROUP_SIZE) {
    if (edge.draw < EDGE_END) {
      atomicExchange(chain_table[begins + edge.draw], rank_of(edge.position, block, before, total) + 1u);
    }
    edge = load_edge(e + GROUP_SIZE, edges.y);
  }
  barrier();
  edge = first_edge;
  for (uint e = edges.x + thread_in_group(); e < edges.y; e += GROUP_SIZE) {
    if (edge.draw >= EDGE_END) {
      uint begin = 0u;
      while (begin == 0u) {
        begin = atomicExchange(chain_table[begins + edge.draw % EDGE_END], 0u);
      }
      store_draw(edge.draw % EDGE_END, edge.slot, uvec2(begin - 1u, rank_of(edge.position, block, before, total)));
    }
    edge = load_edge(e + GROUP_SIZE, edges.y);
  }
}

// `edges`: first and past-last edge that this block answers for. `closes`: it is the last block. Every thread of the group
// calls it.
void list_block(uint ticket, uint block, uvec2 edges, bool closes)
{
  uint mine = thread_in_group();
  uvec2 sums = scan_group(mine < BLOCK_WORDS ? uint(bitCount(shared_block[mine])) : 0u);
  if (mine == 0u) {
    publish(ticket, sums.y);
  }
  if (sums.y == 0u && edges.x == edges.y && !closes) {
    return;
  }
  if (mine < BLOCK_WORDS) {
    shared_prefix[mine] = sums.x;
  }
  Edge first_edge = load_edge(edges.x + mine, edges.y);
  uint lane = mine & 31u;
  uint slot = (mine >> 5) * WORDS_PER_SUBGROUP;
  uint first = (block * BLOCK_WORDS + slot) * BITS_PER_WORD + lane;
  uint rows[WORDS_PER_SUBGROUP]; // on their way while the group waits for those before it
  UNROLL for (uint k = 0u; k < WORDS_PER_SUBGROUP; k++) {
    rows[k] = ((shared_block[slot + k] >> lane) & 1u) != 0u ? row_at(first + k * BITS_PER_WORD) : 0u;
  }
  uint before = sum_before(ticket);
  UNROLL for (uint k = 0u; k < WORDS_PER_SUBGROUP; k++) {
    uint word = shared_block[slot + k];
    if (((word >> lane) & 1u) != 0u) {
      store_draw_instances(before + shared_prefix[slot + k] + uint(bitCount(word & ((1u << lane) - 1u))), rows[k]);
    }
  }
  if (edges.x != edges.y) {
    write_draws(edges, first_edge, block, before, sums.y);
  }
  if (closes && mine == 0u) {
    store_word_offsets(cull_counts.mask_words, before + sums.y);
  }
}
