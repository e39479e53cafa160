// Numbering of work groups and threads. Drivers limit the groups along one axis, so a dispatch is two-dimensional.

uint group_index()
{
  return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

uint thread_in_group()
{
  return gl_LocalInvocationID.x;
}

uint thread_index()
{
  return group_index() * GROUP_SIZE + thread_in_group();
}
