// Particles posed here, without a compute pass and without storing them.
#include "skinning/draw.glsl"
#include "skinning/blend.glsl"
#include "skinning/point.glsl"

void main()
{
  gl_Position = NOWHERE;
  point_color = vec4(0.0);
  point_at = vec3(0.0);
  uvec3 which = particle_of(uint(gl_InstanceID), uint(gl_VertexID));
  SkinBlock block = load_skin_blocks(which.y);
  SkinCharacter character = load_skin_characters(block.character);
  uint p = block.first + which.z;
  if (p >= character.point_count || which.x >= character.pose_count) {
    return;
  }
  SkinPoint point = point_of(character, p);
  place(skin_point(character, pose_row(which.x) + character.first_bone, point), float(which.x), which.x, uint(gl_VertexID) % 3u);
}
