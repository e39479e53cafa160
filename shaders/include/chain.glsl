// Work groups that list what they see in one pass, each after all before it, in the order in which they started: each draws a
// ticket, publishes its count, and adds up the counts of the tickets before its own. It waits only for groups that have started.
// The table: the next ticket, its top bit saying which of two sides this frame uses (the other one is cleared for the next);
// two sides, each of a link a ticket and a sum a run of RUN_LINKS links; then a begin for each draw (list_block.glsl).
// Groups speak through atomics only, a word at a time, so no order of other memory is needed. This needs storage buffers.
#ifdef GL_KHR_memory_scope_semantics
#extension GL_KHR_memory_scope_semantics : enable
#endif
#define RUN_LINKS 64u
#define LINK_DONE 0x80000000u
#define RUN_ONE 0x01000000u // a link that is in a run's sum; below it the sum

#define SIDE_BIT 0x80000000u

uint chain_side; // 0 or 1

// What other groups have left there by now. A load, where there is one for atomics: many groups look at the same words, and an
// addition
// makes them wait for each other.
uint look_at(uint at)
{
#ifdef GL_KHR_memory_scope_semantics
  return atomicLoad(chain_table[at], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
#else
  return atomicAdd(chain_table[at], 0u);
#endif
}

uint side_size()
{
  return cull_counts.block_count + cull_counts.block_count / RUN_LINKS + 1u;
}

uint side_start(uint side)
{
  return 1u + side * side_size();
}

uint group_total()
{
  return gl_NumWorkGroups.x * gl_NumWorkGroups.y;
}

// Draws the next ticket, for one thread of a group; `read_ticket` after a barrier gives it to all.
void draw_ticket()
{
  shared_ticket = atomicAdd(chain_table[0], 1u);
}

uint read_ticket()
{
  chain_side = shared_ticket / SIDE_BIT;
  return shared_ticket % SIDE_BIT;
}

// Clears the side of the next frame. Every thread of the dispatch calls it.
void clear_next_side()
{
  for (uint at = thread_index(); at < side_size(); at += group_total() * GROUP_SIZE) {
    chain_table[side_start(1u - chain_side) + at] = 0u;
  }
}

// For one thread: `ticket` is the last one of this frame; the next begins afresh.
void turn_chain()
{
  atomicExchange(chain_table[0], (1u - chain_side) * SIDE_BIT);
}

// For one thread of each group.
void publish(uint ticket, uint count)
{
  uint start = side_start(chain_side);
  atomicExchange(chain_table[start + ticket], count | LINK_DONE);
  atomicAdd(chain_table[start + cull_counts.block_count + ticket / RUN_LINKS], count + RUN_ONE);
}

// The sum of all counts before `ticket`; the same for every thread of the group.
uint sum_before(uint ticket)
{
  uint start = side_start(chain_side);
  uint runs = ticket / RUN_LINKS;
  uint total = 0u;
  for (uint k = thread_in_group(); k < runs + ticket % RUN_LINKS; k += GROUP_SIZE) {
    bool is_run = k < runs;
    uint at = start + (is_run ? cull_counts.block_count + k : runs * RUN_LINKS + (k - runs));
    uint done = is_run ? RUN_LINKS * RUN_ONE : LINK_DONE;
    uint value = look_at(at);
    while (value < done) {
      value = look_at(at);
    }
    total += value & (is_run ? RUN_ONE - 1u : LINK_DONE - 1u);
  }
  return sum_group(total);
}
