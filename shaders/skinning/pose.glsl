// The newest pose into its slot of the ring, a thread to a bone, made full float matrices of whatever travelled:
// core/skinning/matrices.decode.
#include "include/groups.glsl"

#if POSE_HALF
// Exact, also for the small numbers that unpackHalf2x16 may flush.
float float_of_half(uint bits)
{
  uint exponent = (bits >> 10u) & 31u;
  uint mantissa = bits & 1023u;
  uint sign = (bits & 0x8000u) << 16u;
  if (exponent == 0u) {
    float small = float(mantissa) * 5.9604644775390625e-8; // 2^-24
    return uintBitsToFloat(floatBitsToUint(small) | sign);
  }
  exponent = exponent == 31u ? 255u : exponent + 112u;
  return uintBitsToFloat(sign | (exponent << 23u) | (mantissa << 13u));
}

vec4 row_of_halves(uint low, uint high, float origin)
{
  precise float place = float_of_half(high >> 16u) + origin;
  return vec4(float_of_half(low & 0xFFFFu), float_of_half(low >> 16u), float_of_half(high & 0xFFFFu), place);
}
#endif

void main()
{
  uint b = thread_index();
  if (b >= skin_run.row_count) {
    return;
  }
  BoneTarget target = load_bone_targets(b);
  Bone bone;
#if POSE_HALF
  HalfBone pose = load_bone_pose(b);
  vec3 origin = load_skin_characters(target.character).origin;
  bone.row0 = row_of_halves(pose.w0, pose.w1, origin.x);
  bone.row1 = row_of_halves(pose.w2, pose.w3, origin.y);
  bone.row2 = row_of_halves(pose.w4, pose.w5, origin.z);
#elif POSE_TRS
  TrsBone pose = load_bone_pose(b);
  float x = pose.qx, y = pose.qy, z = pose.qz, w = pose.qw;
  bone.row0 = vec4((1.0 - 2.0 * (y * y + z * z)) * pose.sx, 2.0 * (x * y - z * w) * pose.sy, 2.0 * (x * z + y * w) * pose.sz,
  pose.tx);
  bone.row1 = vec4(2.0 * (x * y + z * w) * pose.sx, (1.0 - 2.0 * (x * x + z * z)) * pose.sy, 2.0 * (y * z - x * w) * pose.sz,
  pose.ty);
  bone.row2 = vec4(2.0 * (x * z - y * w) * pose.sx, 2.0 * (y * z + x * w) * pose.sy, (1.0 - 2.0 * (x * x + y * y)) * pose.sz,
  pose.tz);
#else
  FloatBone pose = load_bone_pose(b);
  bone.row0 = pose.row0;
  bone.row1 = pose.row1;
  bone.row2 = pose.row2;
#endif
  store_bones(skin_run.newest * skin_run.bone_rows + target.row, bone);
}
