// usage: node render_glb.mjs FILE.glb OUT.png [--width 1280] [--height 720] [--azimuth 35] [--elevation 28] [--distance 1] [--fov 35]
// A picture of a file as three.js draws it: framed by its bounding box, sun with shadows, sky light. Angles in degrees; `distance` is a factor
// on the distance at which the whole scene fits. Prints {meshes, triangles, box} as JSON.
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { withPage } from './browser.mjs';

const number = value => ({ type: 'string', default: String(value) });
const { values, positionals: [file, out] } = parseArgs({ allowPositionals: true, options: {
  width: number(1280), height: number(720), azimuth: number(35), elevation: number(28), distance: number(1), fov: number(35) } });
if (!out) {
  console.error('usage: node render_glb.mjs FILE.glb OUT.png [--width N] [--height N] [--azimuth A] [--elevation E] [--distance F] [--fov A]');
  process.exit(2);
}
const options = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));

const { png, facts } = await withPage(async (page, urlOf) => page.evaluate(async ({ url, options }) => {
  const { render } = await import('/here/render_page.mjs');
  return render(url, options);
}, { url: urlOf(file), options }));
await writeFile(out, Buffer.from(png.split(',')[1], 'base64'));
console.log(JSON.stringify(facts));
