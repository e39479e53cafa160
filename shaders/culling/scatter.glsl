// Compaction, step 3: the list of visible rows, and how many lie before each word. A work group takes GROUP_SIZE words.
// SCANNED 1: scan.glsl has been; 0: this group adds up the blocks before it, which saves a dispatch while they are few.
// MAPPING 0: a thread lists a word. Else 32 threads list a word together, so that writes lie side by side.
#include "include/groups.glsl"
#include "include/scan_group.glsl"

uint row_at(uint i)
{
#if HAS_ORDER
  return load_rows(i);
#else
  return i;
#endif
}

uint listed_before()
{
  uint blocks = group_index() * (GROUP_SIZE / BLOCK_WORDS);
#if SCANNED
  return load_block_offsets(min(blocks, cull_counts.block_count));
#else
  uint total = 0u;
  for (uint block = thread_in_group(); block < min(blocks, cull_counts.block_count); block += GROUP_SIZE) {
    total += load_block_counts(block);
  }
  return scan_group(total).y;
#endif
}

void main()
{
  uint base = listed_before();
  uint w = thread_index();
  uint word = w < cull_counts.mask_words ? LOAD_MASK(w) : 0u;
  uint before = base + scan_group(uint(bitCount(word))).x;
  if (w < cull_counts.mask_words + 1u) {
    store_word_offsets(w, before);
  }
#if MAPPING == 0
  uint first = (w % cull_counts.word_stride) * BITS_PER_WORD;
  for (; word != 0u; word &= word - 1u) {
    store_draw_instances(before++, row_at(first + uint(findLSB(word))));
  }
#else
  shared_words[thread_in_group()] = uvec2(word, before);
  barrier();
  uint lane = thread_in_group() & 31u;
  uint row = thread_in_group() - lane;
  uint below = (1u << lane) - 1u;
  for (uint k = 0u; k < 32u; k += 4u) {
    uint rows[4]; // four loads in flight
    for (uint j = 0u; j < 4u; j++) {
      uint i = ((w - lane + k + j) % cull_counts.word_stride) * BITS_PER_WORD + lane;
      rows[j] = ((shared_words[row + k + j].x >> lane) & 1u) != 0u ? row_at(i) : 0u;
    }
    for (uint j = 0u; j < 4u; j++) {
      uvec2 entry = shared_words[row + k + j];
      if (((entry.x >> lane) & 1u) != 0u) {
        store_draw_instances(entry.y + uint(bitCount(entry.x & below)), rows[j]);
      }
    }
  }
#endif
}
