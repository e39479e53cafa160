// The second half of the test, shared out over the work group: what passed its sphere is listed in shared memory (in any order:
// each entry
// touches its own bit only), and each thread takes entries of the list. All boxes are then waited for at once, where a thread
// of its own would
// wait for one after the other.

// Instance i of the block keeps its bit only if it passes.
void ask_rest(uint block, uint i)
{
  if (!passes_rest(block * BLOCK_WORDS * BITS_PER_WORD + i)) {
    atomicAnd(shared_block[i / BITS_PER_WORD], ~(1u << (i % BITS_PER_WORD)));
  }
}

// Where this thread's `count` entries begin in the list. Every thread of the group calls it.
uint room_for(uint count)
{
#if MAPPING == 2 // once for 32 threads
  uint before = subgroupExclusiveAdd(count);
  uint at = 0u;
  if ((thread_in_group() & 31u) == 31u && before + count != 0u) {
    at = atomicAdd(shared_open, before + count);
  }
  return subgroupBroadcast(at, 31u) + before;
#else
  return count != 0u ? atomicAdd(shared_open, count) : 0u;
#endif
}

// `mine`, `open`: in bit k, whether this thread's instance of word k is visible so far, and whether the rest is still to be
// asked.
// `slot`: the first of these 32 threads' words in the block. Returns thread k's word k. Every thread of the group calls it.
uint rest_together(uint mine, uint open, uint block, uint slot)
{
  uint lane = thread_in_group() & 31u;
  uint word = transpose_bits(mine);
  if (lane < WORDS_PER_SUBGROUP) {
    shared_block[slot + lane] = word;
  }
  uint at = room_for(uint(bitCount(open)));
  for (; open != 0u && at < LIST_LENGTH; open &= open - 1u) {
    shared_list[at++] = (slot + uint(findLSB(open))) * BITS_PER_WORD + lane;
  }
  barrier();
  for (uint entry = thread_in_group(); entry < min(shared_open, LIST_LENGTH); entry += GROUP_SIZE) {
    ask_rest(block, shared_list[entry]);
  }
  for (; open != 0u; open &= open - 1u) { // what the list had no room for
    ask_rest(block, (slot + uint(findLSB(open))) * BITS_PER_WORD + lane);
  }
  barrier();
  return lane < WORDS_PER_SUBGROUP ? shared_block[slot + lane] : 0u;
}
