// The exact test of one instance, every path's last word, in two halves: most instances need the first only, 16 bytes.
// HAS_CULL_RADIUS: some instance has one. HAS_HIDDEN: some are not drawable. HAS_RULE: a custom rule has the last say.
// HAS_ORDER: culling order is not row order.
#include "include/decide.glsl"

bool passes_sphere(vec4 sphere)
{
  return sphere.w >= 0.0 && !sphere_outside(sphere.xyz, sphere.w); // not drawable: a negative radius
}

bool passes_distance(uint i)
{
#if HAS_CULL_RADIUS
  vec4 sphere = load_spheres(i);
  return !beyond_distance(sphere.xyz, sphere.w, load_cull_radii(i));
#else
  return true;
#endif
}

bool passes_rule(uint i)
{
#if HAS_RULE
#  if HAS_ORDER
  uint row = load_rows(i);
#  else
  uint row = i;
#  endif
  return custom_rule(load_instance_transforms(row), load_instance_data(row), cull_view);
#else
  return true;
#endif
}

// For what has passed its sphere.
bool passes_rest(uint i)
{
  InstanceBox box = load_boxes(i);
  return !box_outside(box.box_min, box.box_max) && passes_distance(i) && passes_rule(i);
}

// For what lies within a node inside the frustum.
bool passes_inside(uint i)
{
#if HAS_HIDDEN
  if (load_spheres(i).w < 0.0) {
    return false;
  }
#endif
  return passes_distance(i) && passes_rule(i);
}
