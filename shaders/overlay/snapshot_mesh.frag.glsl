// A sun, the sky above and the ground below. Both sides of a face are lit.

void main()
{
  vec3 n = normalize(world_normal);
  vec3 to_eye = eye.w > 0.0 ? -from_eye : eye.xyz;
  n = dot(n, to_eye) < 0.0 ? -n : n;
  vec3 sky = mix(vec3(0.20, 0.19, 0.18), vec3(0.42, 0.46, 0.52), 0.5 + 0.5 * dot(n, up.xyz));
  vec3 light = sky + vec3(0.95, 0.91, 0.83) * max(dot(n, sun.xyz), 0.0);
  vec3 linear = mix(base_color.rgb, tint.rgb, tint.a) * light;
  linear = clamp(linear, 0.0, 1.0);
  vec3 low = linear * 12.92;
  vec3 high = 1.055 * pow(max(linear, vec3(0.0031308)), vec3(1.0 / 2.4)) - 0.055;
  color = vec4(mix(high, low, lessThan(linear, vec3(0.0031308))), 1.0);
}
