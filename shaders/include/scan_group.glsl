// Exclusive prefix sum over a work group, and the sum of all. Every thread calls it. MAPPING 2: through subgroups of 32; else
// in shared
// memory (Hillis and Steele 1986).

uvec2 scan_group(uint value)
{
  uint mine = thread_in_group();
#if MAPPING == 2
  uint before = subgroupExclusiveAdd(value);
  if ((mine & 31u) == 31u) {
    shared_scan[mine >> 5] = before + value;
  }
  barrier();
  uint total = 0u;
  for (uint row = 0u; row < GROUP_SIZE / 32u; row++) {
    before += row < (mine >> 5) ? shared_scan[row] : 0u;
    total += shared_scan[row];
  }
  uvec2 result = uvec2(before, total);
#else
  shared_scan[mine] = value;
  barrier();
  for (uint reach = 1u; reach < GROUP_SIZE; reach *= 2u) {
    uint before = mine >= reach ? shared_scan[mine - reach] : 0u;
    barrier();
    shared_scan[mine] += before;
    barrier();
  }
  uvec2 result = uvec2(shared_scan[mine] - value, shared_scan[GROUP_SIZE - 1u]);
#endif
  barrier();
  return result;
}

// Sum over a work group (adding is the same in any order). Every thread calls it.
uint sum_group(uint value)
{
#if MAPPING == 2
  return scan_group(value).y;
#else
  if (thread_in_group() == 0u) {
    shared_sum = 0u;
  }
  barrier();
  if (value != 0u) {
    atomicAdd(shared_sum, value);
  }
  barrier();
  uint total = shared_sum;
  barrier();
  return total;
#endif
}
