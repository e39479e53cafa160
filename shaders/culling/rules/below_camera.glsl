// Drops what is more than 10 m below the camera. An instance's height is its channel [1].y, along the scene's up axis and in
// its unit.
bool custom_rule(InstanceTransform transform, InstanceData data, CullView view)
{
  precise float camera = (view.position.x * view.up.x + view.position.y * view.up.y) + view.position.z * view.up.z;
  precise float lowest = camera - 10.0 * view.units_per_metre;
  return data.custom_data[1].y >= lowest;
}
