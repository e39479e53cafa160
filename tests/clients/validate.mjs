// usage: node validate.mjs FILE... : the Khronos validator's report of each file, as a JSON array on stdout.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import validator from 'gltf-validator';

const reports = [];
for (const file of process.argv.slice(2)) {
  reports.push(await validator.validateBytes(new Uint8Array(await readFile(file)), {
    uri: path.basename(file),
    maxIssues: 200,
    externalResourceFunction: async uri => new Uint8Array(await readFile(path.join(path.dirname(file), decodeURIComponent(uri)))),
  }));
}
console.log(JSON.stringify(reports));
