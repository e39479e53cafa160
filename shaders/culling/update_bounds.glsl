// Scatters changed instances into the streams that culling reads. The table is a power of two long, whole work groups; unused
// rows say so.
#include "include/groups.glsl"

void main()
{
  BoundsUpdate update = load_bounds_updates(thread_index());
  if (update.position != NO_INDEX) {
    store_spheres(update.position, update.sphere);
    store_boxes(update.position, InstanceBox(update.box_min, 0.0, update.box_max, 0.0));
  }
}
