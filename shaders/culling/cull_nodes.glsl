// One level of the cluster trees, a thread to a node: what the parent settled is passed on, the rest is tested.
#include "include/groups.glsl"
#include "include/decide.glsl"
#include "include/node_test.glsl"

void main()
{
  begin_view();
  if (thread_index() >= cull_level.count) {
    return;
  }
  uint n = load_level_nodes(cull_level.first + thread_index());
  uint parent = load_node_parents(n);
  uint state = parent == NO_INDEX ? NODE_PARTIAL : load_node_states(parent);
  store_node_states(n, state == NODE_PARTIAL ? node_state(load_cluster_nodes(n)) : state);
}
