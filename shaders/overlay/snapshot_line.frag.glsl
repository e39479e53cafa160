// A line's colour, sRGB, with coverage in alpha.

void main()
{
  color = line_color;
}
