// Indirect arguments, a thread to a draw: its run of the list is what lies between the ranks of the primitive's first and past-last row.
#include "include/groups.glsl"

uint rank(uint level, uint position)
{
  uint w = level * cull_counts.word_stride + position / BITS_PER_WORD;
  uint below = (1u << (position % BITS_PER_WORD)) - 1u;
  return load_word_offsets(w) + (below != 0u ? uint(bitCount(LOAD_MASK(w) & below)) : 0u);
}

void main()
{
  if (thread_index() >= cull_counts.draw_count) {
    return;
  }
  DrawSlot slot = load_draw_slots(thread_index());
  uint begin = rank(slot.level, slot.first_row);
  uint run = rank(slot.level, slot.first_row + slot.row_count) - begin;
  // part * max would pass 32 bits only past the run, where it does not count.
  uint most = cull_counts.max_instances_per_draw;
  uint skipped = slot.part > run / most ? run : min(slot.part * most, run);
  store_indirect_args(thread_index(), IndirectArgs(slot.index_count, min(run - skipped, most), slot.first_index, slot.base_vertex, begin + skipped));
}
