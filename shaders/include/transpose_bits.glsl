// From bits by thread to words. 32 threads in a row hold, in bit k, their instance of word k; thread k of them gets word k.
// The others, and all from WORDS_PER_SUBGROUP on, get 0. Every thread of the group calls it.

uint transpose_bits(uint mine)
{
  uint lane = thread_in_group() & 31u;
  uint word = 0u;
#if MAPPING == 2
  UNROLL for (uint k = 0u; k < WORDS_PER_SUBGROUP; k++) {
    uint votes = subgroupBallot(((mine >> k) & 1u) != 0u).x;
    word = lane == k ? votes : word;
  }
#else
  shared_bits[thread_in_group()] = mine;
  barrier();
  if (lane < WORDS_PER_SUBGROUP) {
    for (uint j = 0u; j < 32u; j++) {
      word |= ((shared_bits[thread_in_group() - lane + j] >> lane) & 1u) << j;
    }
  }
#endif
  return word;
}
