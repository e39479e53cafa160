// An instanced mesh. Four texels an instance, in draw order: x_axis + position.x, y_axis + position.y, z_axis + position.z, tint.
// Positions are relative to the eye, so that a scene far from its origin does not tremble.

void main()
{
  int instance = gl_InstanceID + gpu_BaseInstance;
  int row = instance / INSTANCES_PER_ROW;
  int column = (instance - row * INSTANCES_PER_ROW) * 4;
  vec4 x_axis = texelFetch(instances, ivec2(column, row), 0);
  vec4 y_axis = texelFetch(instances, ivec2(column + 1, row), 0);
  vec4 z_axis = texelFetch(instances, ivec2(column + 2, row), 0);
  tint = texelFetch(instances, ivec2(column + 3, row), 0);
  from_eye = x_axis.xyz * position.x + y_axis.xyz * position.y + z_axis.xyz * position.z + vec3(x_axis.w, y_axis.w, z_axis.w);
  // The cofactor matrix carries normals through any scale; a mirroring turns its sign.
  vec3 c = cross(y_axis.xyz, z_axis.xyz);
  vec3 n = c * normal.x + cross(z_axis.xyz, x_axis.xyz) * normal.y + cross(x_axis.xyz, y_axis.xyz) * normal.z;
  world_normal = dot(x_axis.xyz, c) < 0.0 ? -n : n;
  gl_Position = clip_from_eye * vec4(from_eye, 1.0);
}
