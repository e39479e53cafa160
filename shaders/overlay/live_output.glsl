// Colours are sRGB. Blender sets `srgbTarget` by the framebuffer: the viewport's takes linear values, pictures take them as
// they are.

#define LINE_HALO 0.3

vec4 framebuffer_color(vec4 srgb)
{
  if (!srgbTarget) {
    return srgb;
  }
  vec3 low = srgb.rgb / 12.92;
  vec3 high = pow((max(srgb.rgb, vec3(0.04045)) + 0.055) / 1.055, vec3(2.4));
  return vec4(mix(high, low, lessThan(srgb.rgb, vec3(0.04045))), srgb.a);
}
