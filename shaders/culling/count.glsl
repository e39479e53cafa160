// Compaction, step 1: visible instances in each block of GROUP_SIZE words. (Culling without LODs has counted its own blocks.)
#include "include/groups.glsl"
#include "include/count_words.glsl"

void main()
{
  begin_count();
  if (thread_index() < cull_counts.mask_words) {
    add_count(uint(bitCount(LOAD_MASK(thread_index()))));
  }
  end_count(group_index());
}
