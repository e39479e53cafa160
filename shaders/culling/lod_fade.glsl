// How far each visible instance is through the band of the switch it is at, for dithering: core/culling/lod_select.cross_fade.
// x: the weight of its own LOD, 1 outside every band; y: the LOD that has the rest. (0, 255) where it is not visible. Decides
// nothing, so square roots and a quotient may differ in their last bits from one GPU to another.
#include "include/groups.glsl"
#include "include/decide.glsl"

#define NO_LOD 255.0

vec2 fade_of(vec4 sphere, LodInput lod, int level)
{
  precise float size2 = ((sphere.w * sphere.w) * cull_view.lod_factor) * lod.scale;
  float size = sqrt(size2 / (cull_view.is_perspective != 0u ? squared_distance(sphere.xyz) : 1.0));
  LodSwitches switches = load_lod_switches(lod.primitive & 0xFFFFFFu);
  vec2 fade = vec2(1.0, float(level));
  for (int step = -1; step <= 1; step += 2) {
    int k = step < 0 ? level - 1 : level; // the switch to the finer LOD, then to the coarser one
    if (k < 0 || k > 6) {
      continue;
    }
    float low = sqrt(k < 4 ? switches.coarser[0][k & 3] : switches.coarser[1][k & 3]);
    float high = sqrt(k < 4 ? switches.finer[0][k & 3] : switches.finer[1][k & 3]);
    if (high > low && size > low && size < high) {
      float share = (size - low) / (high - low); // of the finer LOD
      fade = vec2(step > 0 ? share : 1.0 - share, float(level + step));
    }
  }
  return fade;
}

void main()
{
  uint i = thread_index();
  uint w = i / BITS_PER_WORD;
  if (w >= cull_counts.draw_word_count) {
    return;
  }
  if (((LOAD_VISIBILITY(w) >> (i % BITS_PER_WORD)) & 1u) == 0u) {
    store_lod_fade(i, vec2(0.0, NO_LOD));
    return;
  }
#if HAS_POSITIONS
  vec4 sphere = load_spheres(load_positions(i));
#else
  vec4 sphere = load_spheres(i);
#endif
  store_lod_fade(i, fade_of(sphere, load_lod_inputs(i), int((load_lod_state(i / 4u) >> ((i % 4u) * 8u)) & 255u)));
}
