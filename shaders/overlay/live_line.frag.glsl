// A line with soft edges.
#include "overlay/live_output.glsl"

void main()
{
  float coverage = clamp(line_across.y + 0.5 - abs(line_across.x), 0.0, 1.0);
  color = framebuffer_color(vec4(line_color.rgb, line_color.a * coverage));
}
