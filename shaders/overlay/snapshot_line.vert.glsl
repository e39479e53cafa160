// Lines, widened to triangles on the CPU: already in clip space.

void main()
{
  line_color = vertex_color;
  gl_Position = clip_position;
}
