// Every instance tested; one bit an instance, and the visible of each block counted. A block is a work group's words.
// Reads 16 bytes an instance, 32 more for what passes the sphere test.
// MAPPING picks how threads share a word's 32 instances; the words are the same.
//   0  a thread to a word: for rasterisers on the CPU
//   1  32 threads to 32 words: neighbours read neighbouring spheres, then the 32 x 32 bits are transposed in shared memory
//   2  32 threads to a word through a subgroup ballot, WORDS_PER_SUBGROUP words each
#if MAPPING == 2
#extension GL_KHR_shader_subgroup_ballot : require
#endif
#include "include/groups.glsl"
#include "include/instance_test.glsl"
#include "include/count_words.glsl"

void store_word(uint w, uint word)
{
  if (w < cull_counts.word_count) {
    store_visibility(w, word);
  }
}

#if MAPPING == 0
void main()
{
  begin_count();
  uint w = thread_index();
  uint first = w * BITS_PER_WORD;
  uint count = w < cull_counts.word_count ? min(cull_counts.instance_count - first, BITS_PER_WORD) : 0u;
  uint word = 0u;
  for (uint bit = 0u; bit < count; bit++) {
    word |= uint(instance_visible(first + bit, load_spheres(first + bit))) << bit;
  }
  store_word(w, word);
  add_count(uint(bitCount(word)));
  end_count(group_index());
}
#elif MAPPING == 1
void main()
{
  begin_count();
  uint lane = thread_in_group() & 31u;
  uint first_word = (thread_index() >> 5) * 32u;
  uint mine = 0u; // bit k: instance `lane` of word first_word + k
  for (uint k = 0u; k < 32u; k++) {
    uint i = (first_word + k) * BITS_PER_WORD + lane;
    mine |= uint(i < cull_counts.instance_count && instance_visible(i, load_spheres(i))) << k;
  }
  shared_bits[thread_in_group()] = mine;
  barrier();
  uint word = 0u;
  uint row = thread_in_group() - lane;
  for (uint k = 0u; k < 32u; k++) {
    word |= ((shared_bits[row + k] >> lane) & 1u) << k;
  }
  store_word(first_word + lane, word);
  add_count(uint(bitCount(word)));
  end_count(group_index());
}
#else
void main()
{
  begin_count();
  uint lane = thread_in_group() & 31u;
  uint first_word = (thread_index() >> 5) * WORDS_PER_SUBGROUP;
  // All loads first: many in flight hide the memory's latency.
  vec4 spheres[WORDS_PER_SUBGROUP];
  for (uint k = 0u; k < WORDS_PER_SUBGROUP; k++) {
    uint i = (first_word + k) * BITS_PER_WORD + lane;
    spheres[k] = i < cull_counts.instance_count ? load_spheres(i) : vec4(0.0, 0.0, 0.0, -1.0);
  }
  uint mine = 0u;
  uint visible = 0u;
  for (uint k = 0u; k < WORDS_PER_SUBGROUP; k++) {
    uint word = subgroupBallot(instance_visible((first_word + k) * BITS_PER_WORD + lane, spheres[k])).x;
    visible += uint(bitCount(word));
    mine = lane == k ? word : mine;
  }
  if (lane < WORDS_PER_SUBGROUP) {
    store_word(first_word + lane, mine);
  }
  add_count(lane == 0u ? visible : 0u);
  end_count(group_index());
}
#endif
