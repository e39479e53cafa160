// Round points: a triangle around each. Of the size of the instance's sphere within limits, and as near as the sphere's front, so
// that the instance's own mesh does not hide it. POINTS_PER_INSTANCE points to an instance of the draw.
#include "overlay/live_view.glsl"
#include "overlay/live_status.glsl"

void main()
{
  uint vertex = uint(gl_VertexID);
  uint k = uint(gl_InstanceID) * POINTS_PER_INSTANCE + vertex / 3u;
  gl_Position = NOWHERE;
  point_color = vec4(0.0);
  point_at = vec3(0.0);
  if (k >= overlay_draw.count) {
    return;
  }
  uint i = overlay_draw.first + k;
  vec4 tint = status_color(load_status(i));
  vec4 sphere = load_spheres(i);
  if (tint.a == 0.0 || !is_finite(sphere.xyz)) {
    return;
  }
  vec4 clip = clip_from_scene(sphere.xyz);
  float radius = max(sphere.w, 0.0); // -1: not drawable
  if (clip.w <= 0.0 || clip.z + clip.w < 0.0) {
    return;
  }
  float pixels = clamp(radius * overlay_draw.pixels_per_unit / unit_at(clip), overlay_draw.smallest, overlay_draw.largest);
  float reach = 0.5 * pixels + 0.5; // half a pixel for the soft edge
  uint corner = vertex % 3u;
  vec2 around = corner == 0u ? vec2(-1.7320508, -1.0) : corner == 1u ? vec2(1.7320508, -1.0) : vec2(0.0, 2.0);
  point_color = tint;
  point_at = vec3(around * reach, 0.5 * pixels);
  gl_Position = vec4(clip.xy + around * reach * 2.0 / overlay_draw.size * clip.w, nearer_depth(clip, radius), clip.w);
}
