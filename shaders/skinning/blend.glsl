// Linear blend skinning of one vertex: core/skinning/blend.blend_packed, operation by operation. Needs the tables skin_rest, skin_weights and
// bones (or the uniform block bone_block), the block skin_run, and INDIRECT-free access: a character's row says where all of its data lie.

// float32 of 1 / 255 and of 1 / 65535: 255 times the first is exactly 1
#define PER_BYTE uintBitsToFloat(0x3b808081u)
#define PER_SHORT uintBitsToFloat(0x37800080u)

#define SKIN_WIDE_INDICES 1u
#define SKIN_HAS_BEFORE 2u
#define SKIN_IN_ORDER 4u

// First row of the bones of the pose `age` frames ago.
uint pose_row(uint age)
{
  uint slot = skin_run.newest + skin_run.ring_length - age;
  return (slot % skin_run.ring_length) * skin_run.bone_rows;
}

Bone load_skin_bone(uint row)
{
#if BONES_UNIFORM
  Bone bone;
  bone.row0 = bone_block.rows[3u * row];
  bone.row1 = bone_block.rows[3u * row + 1u];
  bone.row2 = bone_block.rows[3u * row + 2u];
  return bone;
#else
  return load_bones(row);
#endif
}

// Influence k: 4 to a chunk; indices are bytes or uint16.
uint index_of(SkinCharacter character, uint words, uint k)
{
  if ((character.flags & SKIN_WIDE_INDICES) != 0u) {
    return (load_skin_weights(words + (k >> 1u)) >> ((k & 1u) * 16u)) & 0xFFFFu;
  }
  return (load_skin_weights(words + (k >> 2u)) >> ((k & 3u) * 8u)) & 0xFFu;
}

// (words to a vertex, words of indices before its weights)
uvec2 words_of(SkinCharacter character)
{
  uint columns = character.influence_count <= 4u ? 1u : 2u;
  uint indices = (character.flags & SKIN_WIDE_INDICES) != 0u ? 2u * columns : columns;
  return uvec2(indices + columns, indices);
}

// How many of a vertex's indices point past the character's bones.
uint past_segment(SkinCharacter character, uint vertex)
{
  uvec2 sizes = words_of(character);
  uint words = character.first_word + vertex * sizes.x;
  uint count = 0u;
  for (uint k = 0u; k < character.influence_count; k++) {
    count += index_of(character, words, k) >= character.bone_count ? 1u : 0u;
  }
  return count;
}

// Where a vertex is, with the bones that begin at `first_bone`. With an index past them it is where the object takes it, undeformed.
vec3 skin_vertex(SkinCharacter character, uint first_bone, uint vertex)
{
  uint at = (character.first_vertex + vertex) * 3u;
  vec3 rest = vec3(load_skin_rest(at), load_skin_rest(at + 1u), load_skin_rest(at + 2u));
  uvec2 sizes = words_of(character);
  uint words = character.first_word + vertex * sizes.x;
  bool is_past = false;
  precise vec4 row0 = vec4(0.0);
  precise vec4 row1 = vec4(0.0);
  precise vec4 row2 = vec4(0.0);
  for (uint k = 0u; k < character.influence_count; k++) {
    uint index = index_of(character, words, k);
    is_past = is_past || index >= character.bone_count;
    index = index < character.bone_count ? index : 0u;
    uint byte = (load_skin_weights(words + sizes.y + (k >> 2u)) >> ((k & 3u) * 8u)) & 0xFFu;
    precise float weight = float(byte) * PER_BYTE;
    Bone bone = load_skin_bone(first_bone + 1u + index);
    if (k == 0u) {
      row0 = weight * bone.row0;
      row1 = weight * bone.row1;
      row2 = weight * bone.row2;
    }
    else {
      row0 = row0 + weight * bone.row0;
      row1 = row1 + weight * bone.row1;
      row2 = row2 + weight * bone.row2;
    }
  }
  if (is_past) {
    Bone object = load_skin_bone(first_bone);
    row0 = object.row0;
    row1 = object.row1;
    row2 = object.row2;
  }
  precise float x = ((row0.x * rest.x + row0.y * rest.y) + row0.z * rest.z) + row0.w;
  precise float y = ((row1.x * rest.x + row1.y * rest.y) + row1.z * rest.z) + row1.w;
  precise float z = ((row2.x * rest.x + row2.y * rest.y) + row2.z * rest.z) + row2.w;
  return vec3(x, y, z);
}
