// Rows that came into slots which others had: their bytes of lod_state become NO_LOD, which is all bits. One row a word of
// lod_state; forgotten_lods is a power of two long, whole work groups; unused rows say so.
#include "include/groups.glsl"

void main()
{
  ForgottenLods forgotten = load_forgotten_lods(thread_index());
  if (forgotten.word != NO_INDEX) {
    store_lod_state(forgotten.word, load_lod_state(forgotten.word) | forgotten.bits);
  }
}
