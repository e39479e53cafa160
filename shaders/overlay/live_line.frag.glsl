// A line with soft edges, and a faint dark pixel along them that sets it off a light background.
#include "overlay/live_output.glsl"

void main()
{
  float core = clamp(line_across.y + 0.5 - abs(line_across.x), 0.0, 1.0);
  float halo = LINE_HALO * clamp(line_across.y + 1.5 - abs(line_across.x), 0.0, 1.0);
  float alpha = core + halo * (1.0 - core);
  color = framebuffer_color(vec4(line_color.rgb * (core / max(alpha, 1e-3)), line_color.a * alpha));
}
