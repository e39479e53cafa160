// The status word of every instance in culling order: core/live/classify.py, decision by decision.
// GROUPED: lod_state and lod_inputs are in culling order; else in the order of slots. HAS_LODS: there is a lod_state.
// HAS_RULE: a custom rule has a say.
#include "include/groups.glsl"
#include "include/decide.glsl"

// Radius of free slots in spheres; of other undrawable ones -1.
#define FREE_BELOW -1.5

uint reason_of(uint i, uint row, vec4 sphere, bool visible)
{
  if (sphere.w < FREE_BELOW) {
    return STATUS_FREE;
  }
  if (visible) {
    return STATUS_VISIBLE;
  }
  if (sphere.w < 0.0) {
    return STATUS_HIDDEN;
  }
  if (beyond_distance(sphere.xyz, sphere.w, load_cull_radii(i))) {
    return STATUS_DISTANCE;
  }
  InstanceBox box = load_boxes(i);
  if (sphere_outside(sphere.xyz, sphere.w) || box_outside(box.box_min, box.box_max)) {
    return STATUS_FRUSTUM;
  }
#if HAS_RULE
  if (!custom_rule(load_instance_transforms(row), load_instance_data(row), cull_view)) {
    return STATUS_RULE;
  }
#endif
  return STATUS_LATE;
}

uint precision_of(vec3 center, uint flags)
{
  if ((flags & INSTANCE_FULL_PRECISION) != 0u) {
    return STATUS_FULL;
  }
  vec3 size = abs(center);
  float largest = max(max(size.x, size.y), size.z);
  return uint(largest >= status_counts.coarse_from) + uint(largest >= status_counts.coarser_from);
}

void main()
{
  begin_view();
  uint i = thread_index();
  if (i >= status_counts.instance_count) {
    return;
  }
  uint row = load_rows(i);
  bool visible = ((load_visibility(i / BITS_PER_WORD) >> (i % BITS_PER_WORD)) & 1u) != 0u;
  vec4 sphere = load_spheres(i);
  uint reason = reason_of(i, row, sphere, visible);
  if (reason == STATUS_FREE) {
    store_status(i, STATUS_FREE);
    return;
  }
  uint drawn_at = GROUPED != 0 ? i : row;
  uint lod = 0u;
#if HAS_LODS
  if (reason == STATUS_VISIBLE) {
    lod = ((load_lod_state(drawn_at / 4u) >> ((drawn_at % 4u) * 8u)) & 255u) & 7u;
  }
#endif
  uint batch = load_lod_batches((load_lod_inputs(drawn_at).primitive & 0xFFFFFFu) * MAX_LODS + lod);
  uint precision_level = precision_of(sphere.xyz, load_instance_transforms(row).flags);
  uint word = reason | (lod << STATUS_LOD_SHIFT) | (precision_level << STATUS_PRECISION_SHIFT);
  word |= min(load_block_ages(i / status_counts.block_instances), STATUS_MAX_AGE) << STATUS_AGE_SHIFT;
  store_status(i, word | ((batch & 0xFFFFu) << STATUS_BATCH_SHIFT));
}
