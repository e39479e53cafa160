// Indirect arguments of many draws, a thread to a draw, after scatter.glsl has left the rank of each word. (It writes those of
// few draws itself.)
#include "include/groups.glsl"
#include "include/draw_arguments.glsl"

uint rank(uint level, uint position)
{
  uint w = level * cull_counts.word_stride + position / BITS_PER_WORD;
  uint below = bits_below(position);
  return load_word_offsets(w) + (below != 0u ? uint(bitCount(LOAD_MASK(w) & below)) : 0u);
}

void main()
{
  if (thread_index() >= cull_counts.draw_count) {
    return;
  }
  DrawSlot slot = load_draw_slots(thread_index());
  store_draw(thread_index(), slot, uvec2(rank(slot.level, slot.first_row), rank(slot.level, slot.first_row + slot.row_count)));
}
