// A frustum's edges; draw instance 0 is a dark line below, instance 1 the line itself.
#include "overlay/live_line.glsl"

void main()
{
  uint vertex = uint(gl_VertexID);
  uvec2 ends = edge_corners(vertex >> 2);
  bool is_rim = gl_InstanceID == 0;
  line_vertex(overlay_corners.corners[ends.x].xyz, overlay_corners.corners[ends.y].xyz, vertex & 3u,
              overlay_draw.line_width + (is_rim ? 2.0 : 0.0), is_rim ? vec4(0.0, 0.0, 0.0, 0.6) : FRUSTUM_COLOR);
}
