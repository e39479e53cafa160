// Compaction, step 3: the list of visible rows, and how many lie before each word (WITH_ARGS 1: only how many in all). A work
// group takes GROUP_SIZE words.
// SCANNED 1: scan.glsl has been; 0: this group adds up the blocks before it, which saves a dispatch while they are few.
// WITH_ARGS 1: the first work groups write the indirect arguments, a group to a draw, which saves another.
// A thread lists a word; where words are full and MAPPING is not 0, 32 threads list a word together, so that writes lie side by
// side.
#if MAPPING == 2
#extension GL_KHR_shader_subgroup_arithmetic : require
#endif
#include "include/groups.glsl"
#include "include/scan_group.glsl"
#include "include/unroll.glsl"

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
  for (uint first = thread_in_group(); first < blocks; first += 10u * GROUP_SIZE) {
    UNROLL for (uint j = 0u; j < 10u; j++) { // ten loads in flight
      uint block = first + j * GROUP_SIZE;
      total += block < blocks ? load_block_counts(block) : 0u;
    }
  }
  return sum_group(total);
#endif
}

// Visible instances in a group's words; the same for every thread.
uint listed_here(uint group)
{
  uint first = group * (GROUP_SIZE / BLOCK_WORDS);
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

// Visible instances before two blocks, `blocks.x` not after `blocks.y`: this thread's share of them.
uvec2 share_before(uvec2 blocks)
{
  blocks = min(blocks, uvec2(cull_counts.block_count));
#if SCANNED
  return thread_in_group() == 0u ? uvec2(load_block_offsets(blocks.x), load_block_offsets(blocks.y)) : uvec2(0u);
#else
  uvec2 total = uvec2(0u);
  for (uint first = thread_in_group(); first < blocks.y; first += 10u * GROUP_SIZE) {
    UNROLL for (uint j = 0u; j < 10u; j++) { // ten loads in flight
      uint block = first + j * GROUP_SIZE;
      uint count = block < blocks.y ? load_block_counts(block) : 0u;
      total += uvec2(block < blocks.x ? count : 0u, count);
    }
  }
  return total;
#endif
}

// Visible instances in the block of word `w`, up to bit `position` of it: this thread's share.
uint share_within(uint w, uint position)
{
  uint total = 0u;
  for (uint at = w / BLOCK_WORDS * BLOCK_WORDS + thread_in_group(); at <= w; at += GROUP_SIZE) {
    total += uint(bitCount(word_of_mask(at) & (at == w ? bits_below(position) : 0xFFFFFFFFu)));
  }
  return total;
}

void write_arguments(uint draw)
{
  DrawSlot slot = load_draw_slots(draw);
  uvec2 ends = uvec2(slot.first_row, slot.first_row + slot.row_count);
  uvec2 words = slot.level * cull_counts.word_stride + ends / BITS_PER_WORD;
  uvec2 share = share_before(words / BLOCK_WORDS) + uvec2(share_within(words.x, ends.x), share_within(words.y, ends.y));
  uvec2 ranks = uvec2(sum_group(share.x), sum_group(share.y));
  if (thread_in_group() == 0u) {
    store_draw(draw, slot, ranks);
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

void list_words(uint group)
{
  uint w = group * GROUP_SIZE + thread_in_group();
  uint word = word_of_mask(w);
  uint here = listed_here(group);
  bool closes = (group + 1u) * GROUP_SIZE > cull_counts.mask_words; // holds the entry past the last word: the number of all
  if (here == 0u && WITH_ARGS == 1 && !closes) {
    return;
  }
  uint begin = listed_before(group * (GROUP_SIZE / BLOCK_WORDS));
  uint rank = here != 0u ? scan_group(uint(bitCount(word))).x : 0u; // in this group's part of the list
  uint before = begin + rank;
  if (WITH_ARGS == 1 ? w == cull_counts.mask_words : w < cull_counts.mask_words + 1u) {
    store_word_offsets(w, before);
  }
#if MAPPING != 0
  if (here > SPARSE * GROUP_SIZE) {
    list_together(w, word, before);
    return;
  }
  // Few of them: put side by side in shared memory first, so that writes lie side by side too.
  for (uint position = w * BITS_PER_WORD; word != 0u; word &= word - 1u) {
    shared_positions[rank++] = position + uint(findLSB(word));
  }
  barrier();
  for (uint k = thread_in_group(); k < here; k += GROUP_SIZE) {
    store_draw_instances(begin + k, row_at(shared_positions[k] % (cull_counts.word_stride * BITS_PER_WORD)));
  }
#else
  uint first = (w % cull_counts.word_stride) * BITS_PER_WORD;
  for (; word != 0u; word &= word - 1u) {
    store_draw_instances(before++, row_at(first + uint(findLSB(word))));
  }
#endif
}

void main()
{
#if WITH_ARGS
  if (group_index() < cull_counts.draw_count) {
    write_arguments(group_index());
    return;
  }
  list_words(group_index() - cull_counts.draw_count);
#else
  list_words(group_index());
#endif
}
