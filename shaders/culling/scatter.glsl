// Compaction, step 3: the list of visible rows, and how many lie before each word (WITH_ARGS 1: only how many in all). A work group takes GROUP_SIZE words.
// SCANNED 1: scan.glsl has been; 0: this group adds up the blocks before it, which saves a dispatch while they are few.
// WITH_ARGS 1: work groups past the list's write the indirect arguments, a group to a draw, which saves another.
// A thread lists a word; where words are full and MAPPING is not 0, 32 threads list a word together, so that writes lie side by side.
#include "include/groups.glsl"
#include "include/scan_group.glsl"
#include "include/unroll.glsl"

// Visible instances a word up to which a thread lists its own.
#define SPARSE 6u

uint row_at(uint i)
{
#if HAS_ORDER
  return load_rows(i);
#else
  return i;
#endif
}

uint word_of_mask(uint w)
{
  return w < cull_counts.mask_words ? LOAD_MASK(w) : 0u;
}

// Visible instances in all blocks before `blocks`; the same for every thread of the group.
uint listed_before(uint blocks)
{
  blocks = min(blocks, cull_counts.block_count);
#if SCANNED
  return load_block_offsets(blocks);
#else
  uint total = 0u;
  for (uint first = thread_in_group(); first < blocks; first += 8u * GROUP_SIZE) {
    UNROLL for (uint j = 0u; j < 8u; j++) { // eight loads in flight
      uint block = first + j * GROUP_SIZE;
      total += block < blocks ? load_block_counts(block) : 0u;
    }
  }
  return sum_group(total);
#endif
}

// Visible instances in this group's words; the same for every thread.
uint listed_here()
{
  uint first = group_index() * (GROUP_SIZE / BLOCK_WORDS);
  uint last = min(first + GROUP_SIZE / BLOCK_WORDS, cull_counts.block_count);
#if SCANNED
  return first < last ? load_block_offsets(last) - load_block_offsets(first) : 0u;
#else
  uint total = 0u;
  for (uint block = first; block < last; block++) {
    total += load_block_counts(block);
  }
  return total;
#endif
}

#if WITH_ARGS
#include "include/draw_arguments.glsl"

uint rank(uint level, uint position)
{
  uint w = level * cull_counts.word_stride + position / BITS_PER_WORD;
  uint block = w / BLOCK_WORDS;
  uint total = 0u;
  for (uint at = block * BLOCK_WORDS + thread_in_group(); at <= w; at += GROUP_SIZE) {
    total += uint(bitCount(word_of_mask(at) & (at == w ? bits_below(position) : 0xFFFFFFFFu)));
  }
  return listed_before(block) + sum_group(total);
}

void write_arguments(uint draw)
{
  if (draw >= cull_counts.draw_count) {
    return;
  }
  DrawSlot slot = load_draw_slots(draw);
  uint begin = rank(slot.level, slot.first_row);
  uint end = rank(slot.level, slot.first_row + slot.row_count);
  if (thread_in_group() == 0u) {
    store_draw(draw, slot, uvec2(begin, end));
  }
}
#endif

#if MAPPING != 0
// 32 threads list 32 words together.
void list_together(uint w, uint word, uint before)
{
  shared_words[thread_in_group()] = uvec2(word, before);
  barrier();
  uint lane = thread_in_group() & 31u;
  uint row = thread_in_group() - lane;
  for (uint k = 0u; k < 32u; k += 4u) {
    uint rows[4]; // four loads in flight
    UNROLL for (uint j = 0u; j < 4u; j++) {
      uint i = ((w - lane + k + j) % cull_counts.word_stride) * BITS_PER_WORD + lane;
      rows[j] = ((shared_words[row + k + j].x >> lane) & 1u) != 0u ? row_at(i) : 0u;
    }
    UNROLL for (uint j = 0u; j < 4u; j++) {
      uvec2 entry = shared_words[row + k + j];
      if (((entry.x >> lane) & 1u) != 0u) {
        store_draw_instances(entry.y + uint(bitCount(entry.x & ((1u << lane) - 1u))), rows[j]);
      }
    }
  }
}
#endif

void list_words()
{
  uint here = listed_here();
  bool closes = (group_index() + 1u) * GROUP_SIZE > cull_counts.mask_words; // holds the entry past the last word: the number of all
  if (here == 0u && WITH_ARGS == 1 && !closes) {
    return;
  }
  uint before = listed_before(group_index() * (GROUP_SIZE / BLOCK_WORDS));
  uint w = thread_index();
  uint word = word_of_mask(w);
  if (here != 0u) {
    before += scan_group(uint(bitCount(word))).x;
  }
  if (WITH_ARGS == 1 ? w == cull_counts.mask_words : w < cull_counts.mask_words + 1u) {
    store_word_offsets(w, before);
  }
#if MAPPING != 0
  if (here > SPARSE * GROUP_SIZE) {
    list_together(w, word, before);
    return;
  }
#endif
  uint first = (w % cull_counts.word_stride) * BITS_PER_WORD;
  for (; word != 0u; word &= word - 1u) {
    store_draw_instances(before++, row_at(first + uint(findLSB(word))));
  }
}

void main()
{
#if WITH_ARGS
  uint listing = (cull_counts.mask_words + GROUP_SIZE) / GROUP_SIZE; // groups for mask_words + 1 words
  if (group_index() >= listing) {
    write_arguments(group_index() - listing);
    return;
  }
#endif
  list_words();
}
