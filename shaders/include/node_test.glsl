// What a cluster's box says of everything in it.
const uint NODE_OUTSIDE = 0u; // behind an outer plane: nothing in it is visible
const uint NODE_PARTIAL = 1u; // its instances must be asked
const uint NODE_INSIDE = 2u;  // before every inner plane: everything in it passes the frustum

#ifndef CONSERVATIVE
#define CONSERVATIVE 0
#endif

// CONSERVATIVE 1: a leaf all of whose box is farther than asked is kept whole, unless it is outside.
bool kept_whole(ClusterNode node)
{
#if CONSERVATIVE
  return (node.count & CLUSTER_LEAF) != 0u && box_near(node.box_min, node.box_max) > cull_view.conservative2;
#else
  return false;
#endif
}

uint node_state(ClusterNode node)
{
  if (box_outside(node.box_min, node.box_max)) {
    return NODE_OUTSIDE;
  }
  return box_inside(node.box_min, node.box_max) || kept_whole(node) ? NODE_INSIDE : NODE_PARTIAL;
}
