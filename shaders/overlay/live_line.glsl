// A line as a quad of constant width on screen, cut off at the near plane. Needs the varyings line_color (flat) and line_across
// (linear on screen): pixels from the axis, and half the width.
#include "overlay/live_view.glsl"

// `corner`: bit 1 is the end, bit 0 the side.
void line_vertex(vec3 from, vec3 to, uint corner, float width, vec4 color)
{
  vec4 a = clip_from_scene(from);
  vec4 b = clip_from_scene(to);
  float near_a = a.z + a.w;
  float near_b = b.z + b.w;
  gl_Position = NOWHERE;
  line_color = color;
  line_across = vec2(0.0);
  if (!(max(near_a, near_b) > 0.0)) {
    return;
  }
  // Just before the plane, so that w stays positive.
  vec4 start = near_a > 0.0 ? a : mix(a, b, min(near_a / (near_a - near_b) * 1.000001, 1.0));
  vec4 end = near_b > 0.0 ? b : mix(b, a, min(near_b / (near_b - near_a) * 1.000001, 1.0));
  vec2 pixels = overlay_draw.size * 0.5;
  vec2 along = (end.xy / end.w - start.xy / start.w) * pixels;
  float length_on_screen = length(along);
  along = length_on_screen > 1e-6 ? along / length_on_screen : vec2(1.0, 0.0);
  float reach = 0.5 * width + 1.5; // with the soft edge and the halo
  float side = (corner & 1u) != 0u ? reach : -reach;
  vec4 at = (corner & 2u) != 0u ? end : start;
  float cap = (corner & 2u) != 0u ? 0.5 * width : -0.5 * width; // so that lines meet at corners
  vec2 offset = vec2(-along.y, along.x) * side + along * cap;
  gl_Position = vec4(at.xy + offset * at.w / pixels, nearer_depth(at, overlay_draw.lift * unit_at(at)), at.w);
  line_across = vec2(side, 0.5 * width);
}
