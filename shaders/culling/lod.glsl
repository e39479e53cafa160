// The LOD of every visible instance, as one bit mask a level (what compaction lists), and as a byte an instance that is kept
// from frame
// to frame for the hysteresis. Four bytes to a word of lod_state, eight of those to a visibility word; rows that are not
// visible keep theirs.
// MAPPING 0: a thread to a word. Else 32 threads to a word, WORDS_PER_SUBGROUP in turn, joined by atomicOr in shared memory.
// HAS_POSITIONS: drawing is in row order while the spheres are in cluster order.
#include "include/groups.glsl"
#include "include/decide.glsl"
#include "include/lod_select.glsl"

uint lod_of(uint i, uint before)
{
#if HAS_POSITIONS
  vec4 sphere = load_spheres(load_positions(i));
#else
  vec4 sphere = load_spheres(i);
#endif
  return select_lod(sphere, load_lod_inputs(i), before);
}

#if MAPPING == 0
void main()
{
  begin_view();
  uint w = thread_index();
  if (w >= cull_counts.draw_word_count) {
    return;
  }
  uint word = LOAD_VISIBILITY(w);
  uint masks[MAX_LODS];
  for (uint level = 0u; level < MAX_LODS; level++) {
    masks[level] = 0u;
  }
  for (uint part = 0u; part < 8u; part++) {
    uint open = (word >> (part * 4u)) & 15u;
    if (open == 0u) {
      continue;
    }
    uint state = load_lod_state(w * 8u + part);
    for (; open != 0u; open &= open - 1u) {
      uint k = uint(findLSB(open));
      uint bit = part * 4u + k;
      uint lod = lod_of(w * BITS_PER_WORD + bit, (state >> (k * 8u)) & 255u);
      state = (state & ~(255u << (k * 8u))) | (lod << (k * 8u));
      masks[lod] |= 1u << bit;
    }
    store_lod_state(w * 8u + part, state);
  }
  for (uint level = 0u; level < cull_counts.level_count; level++) {
    store_lod_masks(level * cull_counts.word_stride + w, masks[level]);
  }
}
#else
void main()
{
  begin_view();
  uint lane = thread_in_group() & 31u;
  uint row = thread_in_group() >> 5;
  for (uint k = 0u; k < WORDS_PER_SUBGROUP; k++) {
    uint w = (thread_index() >> 5) * WORDS_PER_SUBGROUP + k;
    uint word = w < cull_counts.draw_word_count ? LOAD_VISIBILITY(w) : 0u;
    barrier();
    if (lane < 8u) {
      shared_masks[row * 8u + lane] = 0u;
      shared_state[row * 8u + lane] = 0u;
    }
    barrier();
    if (word != 0u) {
      uint shift = (lane & 3u) * 8u;
      uint before = (load_lod_state(w * 8u + (lane >> 2)) >> shift) & 255u;
      uint lod = before;
      if (((word >> lane) & 1u) != 0u) {
        lod = lod_of(w * BITS_PER_WORD + lane, before);
        atomicOr(shared_masks[row * 8u + lod], 1u << lane);
      }
      atomicOr(shared_state[row * 8u + (lane >> 2)], lod << shift);
    }
    barrier();
    if (lane < 8u && word != 0u) {
      store_lod_state(w * 8u + lane, shared_state[row * 8u + lane]);
    }
    if (lane < cull_counts.level_count && w < cull_counts.draw_word_count) {
      store_lod_masks(lane * cull_counts.word_stride + w, shared_masks[row * 8u + lane]);
    }
  }
}
#endif
