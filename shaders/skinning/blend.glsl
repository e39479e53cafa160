// Linear blend skinning of one vertex: core/skinning/blend.blend_packed, operation by operation. Needs the tables skin_rest,
// skin_weights and
// bones (or the uniform block bone_block), the block skin_run. SKIN_INFLUENCES, and SKIN_INDICES 0: all indices are
// bytes, 1: all are uint16, 2: a character's flags say.

#include "include/unroll.glsl"
#include "skinning/characters.glsl"

// float32 of 1 / 255: 255 times it is exactly 1
#define PER_BYTE uintBitsToFloat(0x3b808081u)

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

bool is_wide(SkinCharacter character)
{
#if SKIN_INDICES == 2
  return (character.flags & SKIN_WIDE_INDICES) != 0u;
#else
  return SKIN_INDICES == 1;
#endif
}

// Columns of four influences.
uint columns_of(SkinCharacter character)
{
#if SKIN_INFLUENCES > 4
  return character.influence_count <= 4u ? 1u : 2u;
#else
  return 1u;
#endif
}

// A vertex's indices and weights as they lie in skin_weights.
struct SkinWords {
  uvec4 indices;
  uvec2 weights;
};

SkinWords words_of(SkinCharacter character, uint vertex)
{
  uint columns = columns_of(character);
  bool wide = is_wide(character);
  uint at = character.first_word + vertex * (columns * (wide ? 3u : 2u));
  SkinWords words = SkinWords(uvec4(0u), uvec2(0u));
  words.indices.x = load_skin_weights(at);
#if SKIN_INDICES > 0
  if (wide) {
    words.indices.y = load_skin_weights(at + 1u);
  }
#endif
  uint first_weight = at + columns * (wide ? 2u : 1u);
  words.weights.x = load_skin_weights(first_weight);
#if SKIN_INFLUENCES > 4
  if (columns == 2u) {
    if (wide) {
      words.indices.zw = uvec2(load_skin_weights(at + 2u), load_skin_weights(at + 3u));
    }
    else {
      words.indices.y = load_skin_weights(at + 1u);
    }
    words.weights.y = load_skin_weights(first_weight + 1u);
  }
#endif
  return words;
}

// Index of influence k and its weight, a byte. Where a skin has 4 columns, the others weigh 0.
uvec2 influence_of(SkinCharacter character, SkinWords words, int k)
{
  uint bits = uint(k & 3) * 8u;
  uint index = is_wide(character) ? (words.indices[k >> 1] >> (uint(k & 1) * 16u)) & 0xFFFFu : (words.indices[k >> 2] >> bits)
  & 0xFFu;
  return uvec2(index, (words.weights[k >> 2] >> bits) & 0xFFu);
}

// How many of a vertex's indices point past the character's bones.
uint past_segment(SkinCharacter character, uint vertex)
{
  SkinWords words = words_of(character, vertex);
  uint count = 0u;
  UNROLL for (int k = 0; k < SKIN_INFLUENCES; k++) {
    count += uint(k) < character.influence_count && influence_of(character, words, k).x >= character.bone_count ? 1u : 0u;
  }
  return count;
}

// Where a vertex is, with the bones that begin at `first_bone`. With an index past them it goes where the object takes it,
// undeformed.
// SKIN_INFLUENCES is the most that any character has: what a vertex has fewer of weighs 0.
vec3 skin_vertex(SkinCharacter character, uint first_bone, uint vertex)
{
  uint at = (character.first_vertex + vertex) * 3u;
  vec3 rest = vec3(load_skin_rest(at), load_skin_rest(at + 1u), load_skin_rest(at + 2u));
  SkinWords words = words_of(character, vertex);
  uvec2 influences[SKIN_INFLUENCES];
  bool is_past = false;
  UNROLL for (int k = 0; k < SKIN_INFLUENCES; k++) {
    influences[k] = influence_of(character, words, k);
    is_past = is_past || influences[k].x >= character.bone_count;
  }
  precise vec4 row0;
  precise vec4 row1;
  precise vec4 row2;
  UNROLL for (int k = 0; k < SKIN_INFLUENCES; k++) {
    precise float weight = float(influences[k].y) * PER_BYTE;
    Bone bone = load_skin_bone(is_past ? first_bone : first_bone + 1u + influences[k].x);
    if (k == 0) {
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
  precise float x = ((row0.x * rest.x + row0.y * rest.y) + row0.z * rest.z) + row0.w;
  precise float y = ((row1.x * rest.x + row1.y * rest.y) + row1.z * rest.z) + row1.w;
  precise float z = ((row2.x * rest.x + row2.y * rest.y) + row2.z * rest.z) + row2.w;
  return vec3(x, y, z);
}
