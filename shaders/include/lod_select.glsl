// Which LOD an instance is drawn with: core/culling/lod_select.py, operation by operation.
const uint NO_LOD = 255u;

uint count_below(float size2, float d2, vec4 low, vec4 high)
{
  uint below = 0u;
  for (int k = 0; k < 7; k++) {
    precise float threshold = (k < 4 ? low[k & 3] : high[k & 3]) * d2;
    below += uint(size2 < threshold);
  }
  return below;
}

// `before`: the LOD to stay at within a band, NO_LOD for none.
uint select_lod(vec4 sphere, LodInput lod, uint before)
{
  uint primitive = lod.primitive & 0xFFFFFFu;
  uint last = (lod.primitive >> 24) - 1u;
  if (cull_view.forced_lod != NO_INDEX) {
    return min(cull_view.forced_lod, last);
  }
  precise float size2 = ((sphere.w * sphere.w) * cull_view.lod_factor) * lod.scale;
  float d2 = cull_view.is_perspective != 0u ? squared_distance(sphere.xyz) : 1.0;
  LodSwitches switches = load_lod_switches(primitive);
  if (before == NO_LOD) {
    return count_below(size2, d2, switches.enter[0], switches.enter[1]);
  }
  uint lowest = count_below(size2, d2, switches.coarser[0], switches.coarser[1]);
  uint highest = count_below(size2, d2, switches.finer[0], switches.finer[1]);
  return min(max(before, lowest), highest);
}
