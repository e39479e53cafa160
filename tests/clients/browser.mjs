// A page in headless Chromium that has three.js and can load files of this machine. WebGL runs on SwiftShader, so no GPU is needed.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.html': 'text/html' };
const PAGE = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><style>body{margin:0}</style><script type="importmap">{"imports":{
  "three":"/modules/three/build/three.module.js","three/addons/":"/modules/three/examples/jsm/"}}</script><body></body>`;

// Serves the page, node_modules under /modules/, this folder under /here/, and any folder handed out by urlOf; on this machine only.
async function serve() {
  const folders = new Map([['modules', path.join(HERE, 'node_modules')], ['here', HERE]]);
  const server = http.createServer(async (request, response) => {
    const parts = new URL(request.url, 'http://localhost').pathname.split('/').slice(1).map(decodeURIComponent);
    if (parts[0] === '') return response.setHeader('Content-Type', 'text/html').end(PAGE);
    const file = folders.has(parts[0]) && path.join(folders.get(parts[0]), ...parts.slice(1));
    if (!file || parts.includes('..') || !await stat(file).then(s => s.isFile(), () => false)) return response.writeHead(404).end();
    response.setHeader('Content-Type', TYPES[path.extname(file)] ?? 'application/octet-stream');
    createReadStream(file).pipe(response);
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const urlOf = file => {
    const key = `files${folders.size}`;
    folders.set(key, path.dirname(path.resolve(file)));
    return `${origin}/${key}/${encodeURIComponent(path.basename(file))}`;
  };
  return { origin, urlOf, close: () => server.close() };
}

// Chromium starting, crashing or being killed on a busy machine says nothing about the file; whatever the page itself reports does.
const IS_BROWSERS_FAULT = /Target crashed|has been closed|browserType\.launch|WebGL context/;

/** Run `work(page, urlOf)` with a page whose import map knows three.js; everything is closed afterwards. A second try where Chromium fails. */
export async function withPage(work, viewport = { width: 1280, height: 720 }) {
  try {
    return await attempt(work, viewport);
  } catch (error) {
    if (!IS_BROWSERS_FAULT.test(error.message)) throw error;
    console.error(`once more, since Chromium failed: ${error.message.split('\n')[0]}`);
    return attempt(work, viewport);
  }
}

async function attempt(work, viewport) {
  const server = await serve();
  let browser;
  try {
    browser = await chromium.launch({
      timeout: 120000,
      executablePath: process.env.GPUSCENE_CHROMIUM || '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
        '--ignore-gpu-blocklist'],
    });
    const page = await browser.newPage({ viewport });
    page.setDefaultTimeout(0);
    page.on('console', message => message.type() === 'error' && console.error(message.text()));
    page.on('pageerror', error => console.error(String(error)));
    await page.goto(server.origin);
    return await work(page, server.urlOf);
  } finally {
    await browser?.close();
    server.close();
  }
}
