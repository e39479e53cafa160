// The near and the far rectangle of a frustum, translucent.
#include "overlay/live_view.glsl"

void main()
{
  uint corner = uint(gl_VertexID) + 4u * uint(gl_InstanceID);
  gl_Position = clip_from_scene(overlay_corners.corners[corner].xyz);
  fill_color = FRUSTUM_FILL;
}
