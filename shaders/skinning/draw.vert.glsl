// Particles as the compute pass left them.
#include "skinning/draw.glsl"

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
  vec4 particle = load_particle_positions(which.x * skin_run.particle_rows + character.first_particle + p);
  place(particle.xyz, particle.w, which.x, uint(gl_VertexID) % 3u);
}
