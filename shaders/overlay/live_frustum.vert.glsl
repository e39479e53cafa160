// The edges of a frustum.
#include "overlay/live_line.glsl"

void main()
{
  uint vertex = uint(gl_VertexID);
  uvec2 ends = edge_corners(vertex >> 2);
  line_vertex(overlay_corners.corners[ends.x].xyz, overlay_corners.corners[ends.y].xyz, vertex & 3u,
              overlay_draw.line_width, FRUSTUM_COLOR);
}
