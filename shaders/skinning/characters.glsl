// What every skinning pass knows of characters (core/skinning/gpu_records.py).

#define SKIN_WIDE_INDICES 1u
#define SKIN_HAS_BEFORE 2u
#define SKIN_IN_ORDER 4u

// Groups of one pose come one behind the other.
uint age_of(uint group, uint groups)
{
#if SKIN_TRAILS
  return group / groups;
#else
  return 0u;
#endif
}

// First row of the bones of the pose `age` frames ago, fewer than the ring is long.
uint pose_row(uint age)
{
  uint slot = skin_run.newest + (age > skin_run.newest ? skin_run.ring_length : 0u) - age;
  return slot * skin_run.bone_rows;
}
