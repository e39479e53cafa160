// The exact test of one instance, every path's last word. Order as in core/culling/decide.py: drawable, distance, sphere, box.
// HAS_CULL_RADIUS: some instance has one. HAS_RULE: a custom rule has the last say. HAS_ORDER: culling order is not row order.
#include "include/decide.glsl"

uint row_of(uint i)
{
#if HAS_ORDER
  return load_rows(i);
#else
  return i;
#endif
}

// Drawable and near enough: what must be asked even within a node that lies inside the frustum.
bool keeps_without_frustum(uint i, vec4 sphere)
{
#if HAS_CULL_RADIUS
  return sphere.w >= 0.0 && !beyond_distance(sphere.xyz, sphere.w, load_cull_radii(i));
#else
  return sphere.w >= 0.0;
#endif
}

bool passes_rule(uint i)
{
#if HAS_RULE
  uint row = row_of(i);
  return custom_rule(load_instance_transforms(row), load_instance_data(row), cull_view);
#else
  return true;
#endif
}

bool instance_visible(uint i, vec4 sphere)
{
  // The plane tests are cheaper than the cull radius's memory.
  if (sphere.w < 0.0 || sphere_outside(sphere.xyz, sphere.w) || !keeps_without_frustum(i, sphere)) {
    return false;
  }
  InstanceBox box = load_boxes(i);
  return !box_outside(box.box_min, box.box_max) && passes_rule(i);
}
