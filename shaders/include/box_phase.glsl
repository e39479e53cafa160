// The second half of the test for threads that hold one instance of each of WORDS_PER_SUBGROUP words. A few boxes are loaded before the first is
// looked at: few threads have one to test, so it is the memory's latency that counts.
#define BOXES_IN_FLIGHT 4u

// `open`: in bit k, whether the instance of word k has passed its sphere. Returns the bits of those that pass the rest too.
uint pass_boxes(uint open, uint first_word, uint lane)
{
  uint passed = 0u;
  UNROLL for (uint start = 0u; start < WORDS_PER_SUBGROUP; start += BOXES_IN_FLIGHT) {
    InstanceBox boxes[BOXES_IN_FLIGHT];
    UNROLL for (uint j = 0u; j < BOXES_IN_FLIGHT; j++) {
      if (((open >> (start + j)) & 1u) != 0u) {
        boxes[j] = load_boxes((first_word + start + j) * BITS_PER_WORD + lane);
      }
    }
    UNROLL for (uint j = 0u; j < BOXES_IN_FLIGHT; j++) {
      if (((open >> (start + j)) & 1u) != 0u) {
        passed |= uint(passes_box(boxes[j], (first_word + start + j) * BITS_PER_WORD + lane)) << (start + j);
      }
    }
  }
  return passed;
}
