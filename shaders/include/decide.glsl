// The decisions of core/culling/decide.py, operation by operation. `precise` forbids the compiler to fuse or reorder,
// so every GPU gets numpy's bits.

#ifndef LOCAL_PLANES
#define LOCAL_PLANES 0
#endif

// LOCAL_PLANES 1: begin_view() copies the planes, since rasterisers on the CPU read a uniform block anew each time (five times slower);
// a GPU has them at hand.
#if LOCAL_PLANES
vec4 outer_planes[6];
vec4 inner_planes[6];
#define OUTER(i) outer_planes[i]
#define INNER(i) inner_planes[i]
#else
#define OUTER(i) cull_view.outer[i]
#define INNER(i) cull_view.inner[i]
#endif

// Every main() that decides calls it first.
void begin_view()
{
#if LOCAL_PLANES
  outer_planes[0] = cull_view.outer[0];
  outer_planes[1] = cull_view.outer[1];
  outer_planes[2] = cull_view.outer[2];
  outer_planes[3] = cull_view.outer[3];
  outer_planes[4] = cull_view.outer[4];
  outer_planes[5] = cull_view.outer[5];
  inner_planes[0] = cull_view.inner[0];
  inner_planes[1] = cull_view.inner[1];
  inner_planes[2] = cull_view.inner[2];
  inner_planes[3] = cull_view.inner[3];
  inner_planes[4] = cull_view.inner[4];
  inner_planes[5] = cull_view.inner[5];
#endif
}

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
  return (sphere_behind(OUTER(0), center, radius) | sphere_behind(OUTER(1), center, radius) |
          sphere_behind(OUTER(2), center, radius) | sphere_behind(OUTER(3), center, radius) |
          sphere_behind(OUTER(4), center, radius) | sphere_behind(OUTER(5), center, radius)) != 0u;
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
  return (box_behind(OUTER(0), box_min, box_max) | box_behind(OUTER(1), box_min, box_max) |
          box_behind(OUTER(2), box_min, box_max) | box_behind(OUTER(3), box_min, box_max) |
          box_behind(OUTER(4), box_min, box_max) | box_behind(OUTER(5), box_min, box_max)) != 0u;
}

// 1 for a box that is not wholly before the plane.
uint box_crosses(vec4 plane, vec3 box_min, vec3 box_max)
{
  return uint(!(plane_distance(plane, far_corner(plane, box_max, box_min)) >= 0.0));
}

// Wholly before every inner plane: every sphere and box within passes the tests above.
bool box_inside(vec3 box_min, vec3 box_max)
{
  return (box_crosses(INNER(0), box_min, box_max) | box_crosses(INNER(1), box_min, box_max) | box_crosses(INNER(2), box_min, box_max) |
          box_crosses(INNER(3), box_min, box_max) | box_crosses(INNER(4), box_min, box_max) | box_crosses(INNER(5), box_min, box_max)) == 0u;
}

float squared_distance(vec3 center)
{
  precise vec3 d = center - cull_view.position;
  precise float squared = (d.x * d.x + d.y * d.y) + d.z * d.z;
  return squared;
}

// Squared distance to the nearest point of a box.
float box_near(vec3 box_min, vec3 box_max)
{
  precise vec3 d = max(max(box_min - cull_view.position, cull_view.position - box_max), vec3(0.0));
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
