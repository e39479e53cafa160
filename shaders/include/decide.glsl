// The decisions of core/culling/decide.py, operation by operation. `precise` forbids the compiler to fuse or reorder,
// so every GPU gets numpy's bits.

float plane_distance(vec4 plane, vec3 point)
{
  precise float distance = ((plane.x * point.x + plane.y * point.y) + plane.z * point.z) + plane.w;
  return distance;
}

// 1 for a sphere wholly behind the plane, else 0.
uint sphere_behind(vec4 plane, vec3 center, float radius)
{
  precise float reach = plane_distance(plane, center) + radius;
  return uint(reach < 0.0);
}

// Wholly behind one of the outer planes. All are asked, without branches: threads in a row seldom agree on an early exit.
bool sphere_outside(vec3 center, float radius)
{
  return (sphere_behind(cull_view.outer[0], center, radius) | sphere_behind(cull_view.outer[1], center, radius) |
          sphere_behind(cull_view.outer[2], center, radius) | sphere_behind(cull_view.outer[3], center, radius) |
          sphere_behind(cull_view.outer[4], center, radius) | sphere_behind(cull_view.outer[5], center, radius)) != 0u;
}

// The corner of a box farthest along a plane's normal.
vec3 far_corner(vec4 plane, vec3 box_min, vec3 box_max)
{
  return vec3(plane.x >= 0.0 ? box_max.x : box_min.x, plane.y >= 0.0 ? box_max.y : box_min.y,
              plane.z >= 0.0 ? box_max.z : box_min.z);
}

uint box_behind(vec4 plane, vec3 box_min, vec3 box_max)
{
  return uint(plane_distance(plane, far_corner(plane, box_min, box_max)) < 0.0);
}

// Wholly behind one of the outer planes.
bool box_outside(vec3 box_min, vec3 box_max)
{
  return (box_behind(cull_view.outer[0], box_min, box_max) | box_behind(cull_view.outer[1], box_min, box_max) |
          box_behind(cull_view.outer[2], box_min, box_max) | box_behind(cull_view.outer[3], box_min, box_max) |
          box_behind(cull_view.outer[4], box_min, box_max) | box_behind(cull_view.outer[5], box_min, box_max)) != 0u;
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
