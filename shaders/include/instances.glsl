// Reading one row of instance_transforms, for a culling pass or a vertex shader alike.
// Include it after the structs and constants that `gpuscene headers` writes (gpuscene.glsl).

// A point of the mesh, in world space. The scale is in the axes.
vec3 world_from_local_point(InstanceTransform transform, vec3 local)
{
  return transform.x_axis * local.x + transform.y_axis * local.y + transform.z_axis * local.z + transform.position;
}

// A direction or an edge of the mesh, in world space; scaled, so normalise it where length does not count.
vec3 world_from_local_vector(InstanceTransform transform, vec3 local)
{
  return transform.x_axis * local.x + transform.y_axis * local.y + transform.z_axis * local.z;
}

// A normal of the mesh, in world space, not normalised. The cofactor matrix needs no division, so it holds for a
// zero scale too, and carries the sign of a mirrored instance.
vec3 world_from_local_normal(InstanceTransform transform, vec3 local)
{
  return cross(transform.y_axis, transform.z_axis) * local.x + cross(transform.z_axis, transform.x_axis) * local.y +
         cross(transform.x_axis, transform.y_axis) * local.z;
}

// Whether the instance may be drawn at all: shown in the scene, and with finite, non-zero axes.
bool instance_is_drawable(InstanceTransform transform)
{
  const uint needed = INSTANCE_VISIBLE | INSTANCE_VALID;
  return (transform.flags & needed) == needed;
}

// Whether triangles face the other way round: the determinant of the axes is negative.
bool instance_is_mirrored(InstanceTransform transform)
{
  return (transform.flags & INSTANCE_MIRRORED) != 0u;
}
