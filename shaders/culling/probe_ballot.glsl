// Is a word's ballot its 32 threads, and do sums go over as many? A pattern to compare with device/subgroups.py.
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "include/groups.glsl"

void main()
{
  uint word = subgroupBallot(((thread_index() * 2654435761u) >> 31) != 0u).x;
  uint threads = subgroupAdd(1u);
  if ((thread_in_group() & 31u) == 0u) {
    store_ballots(thread_index() / 32u, threads == 32u ? word : ~word);
  }
}
