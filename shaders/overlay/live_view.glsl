// From the scene to clip space, for every live overlay.

const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);

vec4 clip_from_scene(vec3 position)
{
  vec3 p = position - overlay_draw.anchor;
  return (overlay_draw.clip_from_anchor[0] * p.x + overlay_draw.clip_from_anchor[1] * p.y) +
         (overlay_draw.clip_from_anchor[2] * p.z + overlay_draw.clip_from_anchor[3]);
}

// How many scene units (perspective: at distance 1) there are to a unit of `pixels_per_unit` and `lift`.
float unit_at(vec4 clip)
{
  return overlay_draw.eye_depth != 0.0 ? clip.w : 1.0;
}

// The depth of a point moved towards the eye by `distance`, where it stays on screen; not nearer than the near plane.
float nearer_depth(vec4 clip, float distance)
{
  float z;
  if (overlay_draw.eye_depth != 0.0) {
    float share = min(distance / clip.w, 0.99);
    z = clip.z + overlay_draw.eye_depth * (share / (1.0 - share));
  }
  else {
    z = clip.z - overlay_draw.depth_scale * distance;
  }
  return max(z, min(clip.z, -0.99999 * clip.w));
}

bool is_finite(vec3 v)
{
  return all(lessThan(abs(v), vec3(1e38))); // false for NaN
}

// 8 corners of a box: bit k of `corner` is the maximum along axis k.
vec3 box_corner(vec3 box_min, vec3 box_max, uint corner)
{
  return vec3((corner & 1u) != 0u ? box_max.x : box_min.x, (corner & 2u) != 0u ? box_max.y : box_min.y,
              (corner & 4u) != 0u ? box_max.z : box_min.z);
}

// The two corners of edge 0 to 11: four along each axis in turn.
uvec2 edge_corners(uint edge)
{
  uint axis = edge >> 2;
  uint others = edge & 3u;
  uint low = (others & ((1u << axis) - 1u)) | ((others >> axis) << (axis + 1u));
  return uvec2(low, low | (1u << axis));
}
