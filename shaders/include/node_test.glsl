// What a cluster's box says of everything in it.
const uint NODE_OUTSIDE = 0u; // behind an outer plane: nothing in it is visible
const uint NODE_PARTIAL = 1u; // its instances must be asked
const uint NODE_INSIDE = 2u;  // before every inner plane: everything in it passes the frustum

uint node_state(ClusterNode node)
{
  if (box_outside(node.box_min, node.box_max)) {
    return NODE_OUTSIDE;
  }
  return box_inside(node.box_min, node.box_max) ? NODE_INSIDE : NODE_PARTIAL;
}
