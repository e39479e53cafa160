#include "overlay/live_output.glsl"

void main()
{
  color = framebuffer_color(fill_color);
}
