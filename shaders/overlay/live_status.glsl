// The colour of an instance by its status word (core/live/status.py) and the mode. The colours are generated from
// core/palette.py.

// Alpha 0: not shown.
vec4 status_color(uint status)
{
  uint reason = status & 7u;
  if (((overlay_draw.reasons >> reason) & 1u) == 0u || reason == STATUS_FREE) {
    return vec4(0.0);
  }
  bool is_drawn = reason == STATUS_VISIBLE;
  uint age = (status >> STATUS_AGE_SHIFT) & STATUS_MAX_AGE;
  switch (overlay_draw.mode) {
    case OVERLAY_LOD:
      return is_drawn ? LOD_COLORS[(status >> STATUS_LOD_SHIFT) & 7u] : DIM_COLOR;
    case OVERLAY_AGE:
      return AGE_COLORS[age == STATUS_MAX_AGE ? 3u : min(age, 2u)];
    case OVERLAY_BATCH:
      return is_drawn ? BATCH_COLORS[(status >> STATUS_BATCH_SHIFT) % 12u] : DIM_COLOR;
    case OVERLAY_PRECISION:
      return PRECISION_COLORS[(status >> STATUS_PRECISION_SHIFT) & 3u];
  }
  return REASON_COLORS[min(reason, 6u)];
}
