// Exclusive prefix sum over a work group, and the sum of all (Hillis and Steele 1986). Every thread calls it.

uvec2 scan_group(uint value)
{
  uint mine = thread_in_group();
  shared_scan[mine] = value;
  barrier();
  for (uint reach = 1u; reach < GROUP_SIZE; reach *= 2u) {
    uint before = mine >= reach ? shared_scan[mine - reach] : 0u;
    barrier();
    shared_scan[mine] += before;
    barrier();
  }
  uvec2 result = uvec2(shared_scan[mine] - value, shared_scan[GROUP_SIZE - 1u]);
  barrier();
  return result;
}

// Sum over a work group (adding is the same in any order). Every thread calls it.
uint sum_group(uint value)
{
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
}
