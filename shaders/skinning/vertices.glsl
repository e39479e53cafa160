// Linear blend skinning, a thread to a vertex of any character:
// core/skinning/gpu_tables.skinned_positions, operation by operation.
#include "include/groups.glsl"

// float32 of 1 / 255: 255 times it is exactly 1
#define PER_BYTE uintBitsToFloat(0x3b808081u)

uint past_segment = 0u;

// Bone of an index; past the character's segment its first one, and counted.
uint bone_row(SkinCharacter character, uint index)
{
  if (index >= character.bone_count) {
    past_segment += 1u;
    index = 0u;
  }
  return character.first_bone + index;
}

void main()
{
  uint v = thread_index();
  if (v >= skin_counts.vertex_count) {
    return;
  }
  GpuSkinVertex vertex = load_gpu_skin_vertices(v);
  SkinCharacter character = load_skin_characters(vertex.character);
  uvec4 indices = uvec4(vertex.bone_indices_low & 0xFFFFu, vertex.bone_indices_low >> 16u,
                        vertex.bone_indices_high & 0xFFFFu, vertex.bone_indices_high >> 16u);
  uvec4 bytes = (uvec4(vertex.bone_weights) >> uvec4(0u, 8u, 16u, 24u)) & 0xFFu;
  precise vec4 weights = vec4(bytes) * PER_BYTE;
  Bone bone = load_bones(bone_row(character, indices.x));
  precise vec4 row0 = weights.x * bone.row0;
  precise vec4 row1 = weights.x * bone.row1;
  precise vec4 row2 = weights.x * bone.row2;
  for (int k = 1; k < 4; k++) {
    bone = load_bones(bone_row(character, indices[k]));
    row0 = row0 + weights[k] * bone.row0;
    row1 = row1 + weights[k] * bone.row1;
    row2 = row2 + weights[k] * bone.row2;
  }
  vec3 rest = vertex.rest;
  precise float x = ((row0.x * rest.x + row0.y * rest.y) + row0.z * rest.z) + row0.w;
  precise float y = ((row1.x * rest.x + row1.y * rest.y) + row1.z * rest.z) + row1.w;
  precise float z = ((row2.x * rest.x + row2.y * rest.y) + row2.z * rest.z) + row2.w;
  store_skinned_positions(v, vec4(x, y, z, float(past_segment)));
}
