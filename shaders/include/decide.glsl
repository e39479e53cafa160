// The decisions of core/culling/decide.py, operation by operation. `precise` forbids the compiler to fuse or reorder,
// so every GPU gets numpy's bits.

float plane_distance(vec4 plane, vec3 point)
{
  precise float distance = ((plane.x * point.x + plane.y * point.y) + plane.z * point.z) + plane.w;
  return distance;
}

bool sphere_behind(vec4 plane, vec3 center, float radius)
{
  precise float reach = plane_distance(plane, center) + radius;
  return reach < 0.0;
}

// Wholly behind one of the outer planes.
bool sphere_outside(vec3 center, float radius)
{
  return sphere_behind(cull_view.outer[0], center, radius) || sphere_behind(cull_view.outer[1], center, radius) ||
         sphere_behind(cull_view.outer[2], center, radius) || sphere_behind(cull_view.outer[3], center, radius) ||
         sphere_behind(cull_view.outer[4], center, radius) || sphere_behind(cull_view.outer[5], center, radius);
}

// The corner of a box farthest along a plane's normal.
vec3 far_corner(vec4 plane, vec3 box_min, vec3 box_max)
{
  return vec3(plane.x >= 0.0 ? box_max.x : box_min.x, plane.y >= 0.0 ? box_max.y : box_min.y,
              plane.z >= 0.0 ? box_max.z : box_min.z);
}

bool box_outside(vec3 box_min, vec3 box_max)
{
  for (int i = 0; i < 6; i++) {
    vec4 plane = cull_view.outer[i];
    if (plane_distance(plane, far_corner(plane, box_min, box_max)) < 0.0) {
      return true;
    }
  }
  return false;
}

// Wholly before every inner plane: every sphere and box within passes the tests above.
bool box_inside(vec3 box_min, vec3 box_max)
{
  for (int i = 0; i < 6; i++) {
    vec4 plane = cull_view.inner[i];
    if (!(plane_distance(plane, far_corner(plane, box_max, box_min)) >= 0.0)) {
      return false;
    }
  }
  return true;
}

float squared_distance(vec3 center)
{
  precise vec3 d = center - cull_view.position;
  precise float squared = (d.x * d.x + d.y * d.y) + d.z * d.z;
  return squared;
}

// Whether the nearest point of the sphere is farther than cull_radius (0: never).
bool beyond_distance(vec3 center, float radius, float cull_radius)
{
  precise float reach = cull_radius + radius;
  precise float limit = (reach * reach) * uintBitsToFloat(0x3F800008u); // 1 + 2^-20
  return cull_radius > 0.0 && squared_distance(center) > limit;
}
