// Scatters changed slots into all tables that hold them. live_updates is a power of two long, whole work groups; unused rows
// say so.
// GROUPED: instances are drawn in culling order, and lod_inputs lie so; else in the order of slots.
#include "include/groups.glsl"

void main()
{
  LiveUpdate update = load_live_updates(thread_index());
  if (update.slot == NO_INDEX) {
    return;
  }
  store_spheres(update.culling_position, update.sphere);
  store_boxes(update.culling_position, InstanceBox(update.box_min, 0.0, update.box_max, 0.0));
  store_cull_radii(update.culling_position, update.cull_radius);
#if GROUPED
  uint drawn_at = update.culling_position;
#else
  uint drawn_at = update.slot;
#endif
  LodInput lod = load_lod_inputs(drawn_at); // its primitive stays: slots lie in the segment of theirs
  lod.scale = update.lod_scale;
  store_lod_inputs(drawn_at, lod);
  InstanceTransform transform;
  transform.x_axis = update.x_axis;
  transform.bounding_radius = update.bounding_radius;
  transform.y_axis = update.y_axis;
  transform._pad0 = 0.0;
  transform.z_axis = update.z_axis;
  transform._pad1 = 0.0;
  transform.position = update.position;
  transform.flags = update.flags;
  store_instance_transforms(update.slot, transform);
  InstanceData data;
  data.instance_id = update.instance_id;
  data.primitive_id = update.primitive_id;
  data.lightmap_index = update.lightmap_index;
  data.shadowmap_index = update.shadowmap_index;
  data.custom_data[0] = update.custom_data[0];
  data.custom_data[1] = update.custom_data[1];
  store_instance_data(update.slot, data);
}
