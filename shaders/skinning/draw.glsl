// A particle as a triangle around it, and its colour: core/skinning/gpu_records.COLOR_MODES.
#include "overlay/live_view.glsl"

#define COLOR_FLAT 0u
#define COLOR_BONE 1u
#define COLOR_AGE 3u

// Blue, green, yellow, red.
vec3 heat(float share)
{
  vec3 stops[4] = vec3[4](vec3(0.16, 0.35, 0.95), vec3(0.2, 0.8, 0.45), vec3(0.98, 0.85, 0.2), vec3(0.93, 0.2, 0.15));
  float at = clamp(share, 0.0, 1.0) * 3.0;
  int low = min(int(at), 2);
  return mix(stops[low], stops[low + 1], at - float(low));
}

// Numbers of neighbouring bones get hues far apart: steps of the golden ratio.
vec3 bone_tint(float bone)
{
  float hue = fract(bone * 0.61803399) * 6.0;
  vec3 rgb = clamp(vec3(abs(hue - 3.0) - 1.0, 2.0 - abs(hue - 2.0), 2.0 - abs(hue - 4.0)), 0.0, 1.0);
  return mix(vec3(0.25), vec3(1.0), rgb);
}

vec4 particle_color(float value, uint age)
{
  float share = (value - skin_draw.low) / max(skin_draw.high - skin_draw.low, 1e-6);
  float old = skin_run.age_count > 1u ? float(age) / float(skin_run.age_count - 1u) : 0.0;
  vec4 color = skin_draw.mode == COLOR_FLAT ? skin_draw.color :
               skin_draw.mode == COLOR_BONE ? vec4(bone_tint(value), 1.0) :
               skin_draw.mode == COLOR_AGE ? vec4(heat(1.0 - old), 1.0) : vec4(heat(share), 1.0);
  color.a *= 1.0 - skin_draw.fade * old;
  return color;
}

// (age, block, particle of the block) of a vertex; 64 particles to an instance of the draw. The newest pose comes first:
// depth is written, so what is
// fainter must not stand before it.
uvec3 particle_of(uint instance, uint vertex)
{
  uint per_age = skin_run.block_count * 4u;
  uint age = skin_draw.first_age + instance / per_age;
  uint part = instance % per_age;
  return uvec3(age, part >> 2u, (part & 3u) * 64u + vertex / 3u);
}

void place(vec3 position, float value, uint age, uint corner)
{
  vec3 moved = position + skin_draw.offset;
  if (value < 0.0 || !is_finite(moved)) {
    return;
  }
  vec4 clip = clip_from_scene(moved);
  if (clip.w <= 0.0 || clip.z + clip.w < 0.0) {
    return;
  }
  float reach = 0.5 * skin_draw.pixels + 0.5; // half a pixel for the soft edge
  vec2 around = corner == 0u ? vec2(-1.7320508, -1.0) : corner == 1u ? vec2(1.7320508, -1.0) : vec2(0.0, 2.0);
  point_color = particle_color(value, age);
  point_at = vec3(around * reach, 0.5 * skin_draw.pixels);
  float lift = overlay_draw.eye_depth != 0.0 ? overlay_draw.lift * clip.w : overlay_draw.lift;
  gl_Position = vec4(clip.xy + around * reach * 2.0 / overlay_draw.size * clip.w, nearer_depth(clip, lift), clip.w);
}
