// A block's visible instances, summed in shared memory while its words are at hand (adding is the same in any order).
// Every thread of the group calls all three, in order.

#ifndef LISTS_REST
#define LISTS_REST 0
#endif

void begin_count()
{
  if (thread_in_group() == 0u) {
    shared_total = 0u;
#if LISTS_REST
    shared_open = 0u;
#endif
  }
  barrier();
}

void add_count(uint visible)
{
  if (visible != 0u) {
    atomicAdd(shared_total, visible);
  }
}

void end_count(uint block)
{
  barrier();
  if (thread_in_group() == 0u && block < cull_counts.block_count) {
    store_block_counts(block, shared_total);
  }
}
