// Indirect arguments of one draw, from the ranks of its primitive's first and past-last row in the list.

void store_draw(uint draw, DrawSlot slot, uvec2 ranks)
{
  uint run = ranks.y - ranks.x;
  uint most = cull_counts.max_instances_per_draw;
  // part * most would pass 32 bits only past the run, where it does not count.
  uint skipped = slot.part > run / most ? run : min(slot.part * most, run);
  store_indirect_args(draw, IndirectArgs(slot.index_count, min(run - skipped, most), slot.first_index, slot.base_vertex, ranks.x + skipped));
}

// Bits of a word below a position.
uint bits_below(uint position)
{
  return (1u << (position % BITS_PER_WORD)) - 1u;
}
