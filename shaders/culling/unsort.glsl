// Visibility from cluster order to instance rows, a thread to a word of rows: bit r is the bit at reorder[r].
#include "include/groups.glsl"

void main()
{
  uint w = thread_index();
  if (w >= cull_counts.row_word_count) {
    return;
  }
  uint first = w * BITS_PER_WORD;
  uint count = min(cull_counts.row_count - first, BITS_PER_WORD);
  uint word = 0u;
  for (uint bit = 0u; bit < count; bit++) {
    uint position = load_positions(first + bit);
    if (position != NO_INDEX) {
      word |= ((load_visibility(position / BITS_PER_WORD) >> (position % BITS_PER_WORD)) & 1u) << bit;
    }
  }
  store_row_visibility(w, word);
}
