// A point on the skin, between its triangle's corners: core/skinning/surface.SurfacePoints.at, operation by operation.

#include "skinning/characters.glsl"

// float32 of 1 / 65535
#define PER_SHORT uintBitsToFloat(0x37800080u)

SkinPoint point_of(SkinCharacter character, uint p)
{
#if SKIN_ORDER == 2
  if ((character.flags & SKIN_IN_ORDER) != 0u) {
    return SkinPoint(p, p, p, 0u);
  }
#endif
#if SKIN_ORDER == 1
  return SkinPoint(p, p, p, 0u);
#else
  return load_skin_points(character.first_point + p);
#endif
}

// Whether the point lies on its first corner alone.
bool is_on_vertex(SkinPoint point)
{
  return point.shares == 0u;
}

vec3 between(SkinPoint point, vec3 a, vec3 b, vec3 c)
{
  precise float second = float(point.shares & 0xFFFFu) * PER_SHORT;
  precise float third = float(point.shares >> 16u) * PER_SHORT;
  precise float first = (1.0 - second) - third;
  precise vec3 position = (first * a + second * b) + third * c;
  return position;
}

#if !SKIN_SHARED
vec3 skin_point(SkinCharacter character, uint first_bone, SkinPoint point)
{
  vec3 a = skin_vertex(character, first_bone, point.first);
#if SKIN_CORNERS > 1
  if (!is_on_vertex(point)) {
    vec3 b = skin_vertex(character, first_bone, point.second);
    vec3 c = skin_vertex(character, first_bone, point.third);
    a = between(point, a, b, c);
  }
#endif
  return a;
}
#endif
