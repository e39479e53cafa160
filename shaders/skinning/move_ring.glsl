// All poses into a larger ring, a thread to a bone of a pose: skin_run says of how many rows a pose was, and is.
#include "include/groups.glsl"

void main()
{
  uint i = thread_index();
  if (i >= skin_run.row_count * skin_run.ring_length) {
    return;
  }
  store_bones((i / skin_run.row_count) * skin_run.bone_rows + i % skin_run.row_count, load_bones_before(i));
}
