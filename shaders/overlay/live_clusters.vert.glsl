// Boxes of cluster nodes: root, inner, leaf, or culled by the view in cull_view, which may be another one than is drawn.
// The last rows first: the root, row 0, comes out on top. Mode 0 draws the culled ones, mode 1 the others, above them.
#include "include/decide.glsl"
#include "overlay/live_line.glsl"

void main()
{
  begin_view();
  uint i = overlay_draw.first + (overlay_draw.count - 1u - uint(gl_InstanceID));
  uint vertex = uint(gl_VertexID);
  ClusterNode node = load_cluster_nodes(i);
  gl_Position = NOWHERE;
  line_color = vec4(0.0);
  line_across = vec2(0.0);
  if (!is_finite(node.box_min) || !is_finite(node.box_max) || any(greaterThan(node.box_min, node.box_max))) {
    return; // nothing is in it
  }
  bool is_culled = box_outside(node.box_min, node.box_max);
  if (is_culled != (overlay_draw.mode == 0u)) {
    return;
  }
  uint kind = i == 0u ? 0u : (node.count & CLUSTER_LEAF) != 0u ? 2u : 1u;
  float width = overlay_draw.line_width * (kind == 0u ? 3.0 : kind == 1u ? 2.0 : 1.0);
  uvec2 ends = edge_corners(vertex >> 2);
  line_vertex(box_corner(node.box_min, node.box_max, ends.x), box_corner(node.box_min, node.box_max, ends.y), vertex & 3u,
              is_culled ? overlay_draw.line_width : width, NODE_COLORS[is_culled ? 3u : kind]);
}
