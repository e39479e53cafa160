// Copies vec4s: the memory bandwidth to compare culling with. VALUES to a thread, GROUP_SIZE apart, so that neighbours read
// neighbours.
#include "include/groups.glsl"
#include "include/unroll.glsl"

void main()
{
  uint first = group_index() * GROUP_SIZE * VALUES + thread_in_group();
  vec4 values[VALUES];
  UNROLL for (uint k = 0u; k < VALUES; k++) {
    values[k] = load_source(first + k * GROUP_SIZE);
  }
  UNROLL for (uint k = 0u; k < VALUES; k++) {
    store_target(first + k * GROUP_SIZE, values[k]);
  }
}
