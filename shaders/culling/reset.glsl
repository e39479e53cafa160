// Before the first frame, and when LODs are to be chosen afresh: no instance has a LOD yet, no draw draws anything.
#include "include/groups.glsl"

void main()
{
#if HAS_LODS
  if (thread_index() < cull_counts.draw_word_count * 8u) {
    store_lod_state(thread_index(), 0xFFFFFFFFu);
  }
#endif
#if HAS_DRAWS
  if (thread_index() < cull_counts.draw_count) {
    DrawSlot slot = load_draw_slots(thread_index());
    store_indirect_args(thread_index(), IndirectArgs(slot.index_count, 0u, slot.first_index, slot.base_vertex, 0u));
  }
#endif
}
