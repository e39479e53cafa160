// A disc with a soft edge and a darker rim, which tells neighbours apart on any background.
#include "overlay/live_output.glsl"

void main()
{
  float distance = length(point_at.xy);
  float coverage = clamp(point_at.z + 0.5 - distance, 0.0, 1.0);
  if (coverage == 0.0) {
    discard;
  }
  float rim = clamp(distance - point_at.z + 1.25, 0.0, 1.0);
  color = framebuffer_color(vec4(point_color.rgb * (1.0 - 0.6 * rim), point_color.a * coverage));
}
