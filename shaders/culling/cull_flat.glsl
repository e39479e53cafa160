// Every instance tested; one bit an instance, and the visible of each block counted. A block is a work group's words.
// Reads 16 bytes an instance, 32 more for what passes the sphere test: first all spheres, then the boxes of those left.
// MAPPING picks how threads share a word's 32 instances; the words are the same.
//   0  a thread to a word: for rasterisers on the CPU
//   1  32 threads to WORDS_PER_SUBGROUP words, neighbours on neighbouring instances; bits are transposed in shared memory
//   2  the same, through a subgroup ballot
#if MAPPING == 2
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#endif
#include "include/groups.glsl"
#include "include/instance_test.glsl"
#include "include/count_words.glsl"
#if MAPPING != 0
#include "include/unroll.glsl"
#include "include/transpose_bits.glsl"
#include "include/rest_together.glsl"
#endif

#if MAPPING == 0
void main()
{
  begin_view();
  begin_count();
  uint w = thread_index();
  uint first = w * BITS_PER_WORD;
  uint count = w < cull_counts.word_count ? min(cull_counts.instance_count - first, BITS_PER_WORD) : 0u;
  uint word = 0u;
  for (uint bit = 0u; bit < count; bit++) {
    word |= uint(passes_sphere(load_spheres(first + bit))) << bit;
  }
  for (uint open = word; open != 0u; open &= open - 1u) {
    uint bit = uint(findLSB(open));
    word ^= uint(!passes_rest(first + bit)) << bit;
  }
  if (w < cull_counts.word_count) {
    store_visibility(w, word);
  }
  add_count(uint(bitCount(word)));
  end_count(group_index());
}
#else
void main()
{
  begin_view();
  begin_count();
  uint lane = thread_in_group() & 31u;
  uint first_word = (thread_index() >> 5) * WORDS_PER_SUBGROUP;
  // All loads before their first use: many in flight hide the memory's latency.
  vec4 spheres[WORDS_PER_SUBGROUP];
  UNROLL for (uint k = 0u; k < WORDS_PER_SUBGROUP; k++) {
    uint i = (first_word + k) * BITS_PER_WORD + lane;
    spheres[k] = i < cull_counts.instance_count ? load_spheres(i) : vec4(0.0, 0.0, 0.0, -1.0);
  }
  uint mine = 0u;
  UNROLL for (uint k = 0u; k < WORDS_PER_SUBGROUP; k++) {
    mine |= uint(passes_sphere(spheres[k])) << k;
  }
  uint word = rest_together(mine, mine, group_index(), (thread_in_group() >> 5) * WORDS_PER_SUBGROUP);
  if (lane < WORDS_PER_SUBGROUP && first_word + lane < cull_counts.word_count) {
    store_visibility(first_word + lane, word);
  }
  add_count(uint(bitCount(word)));
  end_count(group_index());
}
#endif
