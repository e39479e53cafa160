// Words of an uploaded table into one that passes write: a uint texture cannot be uploaded.
#include "include/groups.glsl"

void main()
{
  if (thread_index() < status_counts.copy_words) {
    STORE_COPIED(thread_index(), load_uploaded_words(thread_index()));
  }
}
