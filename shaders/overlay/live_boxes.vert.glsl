// Boxes of instances: 12 edges each, 4 vertices to an edge.
#include "overlay/live_line.glsl"
#include "overlay/live_status.glsl"

void main()
{
  uint i = overlay_draw.first + uint(gl_InstanceID);
  uint vertex = uint(gl_VertexID);
  vec4 tint = status_color(load_status(i));
  InstanceBox box = load_boxes(i);
  gl_Position = NOWHERE;
  line_color = tint;
  line_across = vec2(0.0);
  if (tint.a == 0.0 || !is_finite(box.box_min) || !is_finite(box.box_max)) {
    return;
  }
  uvec2 ends = edge_corners(vertex >> 2);
  line_vertex(box_corner(box.box_min, box.box_max, ends.x), box_corner(box.box_min, box.box_max, ends.y), vertex & 3u,
              overlay_draw.line_width, tint);
}
