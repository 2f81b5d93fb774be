// Opens the exported replay page in chromium: errors, requests, keys, the times of seeks, and pictures. The page comes from `syncvar replay --export`,
// by the program in `SYNCVAR` or the one that cargo has built; the file is that of the tests, or the first argument. `firefox` as the second argument takes firefox.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, extname, join as path } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, sleep } from "./support.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const program = process.env.SYNCVAR ?? `${process.env.CARGO_TARGET_DIR ?? `${root}target`}/debug/syncvar`;
const file = process.argv[2] ?? fileURLToPath(new URL("../tests/replay.mcap", import.meta.url));
const kind = process.argv[3] ?? "chrome";
const folder = mkdtempSync(path(tmpdir(), "replay-"));
const report = (text) => console.log(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${text}`);

/** Longest seek of 99 of 100, in milliseconds. */
const MAX_SEEK = 50;

execFileSync(program, ["replay", file, "--export", folder], { stdio: ["ignore", "ignore", "inherit"] });

/** Serves the folder as a web space with range requests. Counts the bytes of the file. */
const sent = { bytes: 0 };
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css" };
const server = createServer(async (request, response) => {
  const name = basename(new URL(request.url, "http://localhost").pathname) || "index.html";
  const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range) ?? [];
  const handle = await open(path(folder, name)).catch(() => undefined);
  if (!handle) return response.writeHead(404).end();
  const { size } = await handle.stat();
  const [first, last] = from === undefined ? [0, size - 1] : [Number(from), Math.min(Number(to), size - 1)];
  const part = Buffer.alloc(last - first + 1);
  await handle.read(part, 0, part.length, first);
  await handle.close();
  if (name.endsWith(".mcap")) sent.bytes += part.length;
  response.writeHead(from === undefined ? 200 : 206, {
    "content-type": TYPES[extname(name)] ?? "application/octet-stream",
    ...(from !== undefined && { "content-range": `bytes ${first}-${last}/${size}` }),
  }).end(part);
});
server.unref();
const url = await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}/`)));

const browser = await launch(kind);
const problems = [];

/** Opens the page at a moment. */
async function visit(hash = "", viewport = { width: 1440, height: 900 }, scheme = "light") {
  const page = await browser.newPage();
  await page.setViewport(viewport).catch(() => {});
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]).catch(() => {});
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => !request.url().startsWith(url) && !request.url().startsWith("data:") && problems.push(`request for ${request.url()}`));
  await page.goto(url + hash);
  await page.waitForSelector("body.ready", { timeout: 20_000 });
  return page;
}

const state = (page) => page.evaluate(() => ({ position: replay.position - replay.start, tick: replay.tick, speed: replay.speed, hash: location.hash, error: document.getElementById("error").textContent }));

async function keys(page) {
  const press = async (key) => {
    await page.keyboard.press(key);
    await sleep(300);
    // Operations run one after another: the key's is over.
    await page.evaluate(() => replay.advance(0));
    return state(page);
  };
  const end = await press("End");
  const back = await press("ArrowLeft");
  assert.ok(back.tick < end.tick, "left is a step back");
  assert.equal((await press("ArrowRight")).tick, end.tick);
  assert.equal((await press("Home")).position, 0);
  assert.ok((await press("PageDown")).position > 0);
  const playing = await press(" ");
  assert.equal(playing.speed, 1);
  await sleep(400);
  const paused = await press(" ");
  assert.equal(paused.speed, undefined);
  assert.ok(paused.position > playing.position, "it has played");
  report(`keys: space, arrows, Home, End, PageDown; at ${paused.position.toFixed(2)} s`);
}

async function seeks(page) {
  const times = await page.evaluate(async () => {
    const all = [];
    for (let seed = 1; seed <= 200; seed++) {
      const to = replay.start + ((seed * 7919) % 1000) / 1000 * replay.duration;
      const from = performance.now();
      await replay.seek(to);
      all.push(performance.now() - from);
      await new Promise(requestAnimationFrame);
    }
    return all.sort((a, b) => a - b);
  });
  const [p50, p99] = [times[100], times[197]];
  report(`200 seeks: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  assert.ok(p99 <= MAX_SEEK, `p99 ${p99} ms`);
}

async function link(moment) {
  const page = await visit(`#t=${moment}`);
  const { position, hash } = await state(page);
  assert.equal(Number(position.toFixed(6)), moment);
  assert.equal(hash, `#t=${moment}`);
  await page.close();
}

try {
  const page = await visit();
  await sleep(1000);
  const { size } = statSync(file);
  report(`opened: ${sent.bytes} of ${size} bytes`);
  assert.ok(sent.bytes <= Math.max(size / 4, 1_500_000), "a part of a long file");
  await keys(page);
  await seeks(page);
  const moment = await page.evaluate(() => Math.min(12.5, Math.floor(replay.duration / 2)));
  await page.close();
  await link(moment);
  for (const scheme of ["light", "dark"]) {
    for (const [name, viewport] of [["desktop", { width: 1440, height: 900 }], ["phone", { width: 390, height: 844, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }]]) {
      const view = await visit(`#t=${moment}`, viewport, scheme);
      await sleep(1500);
      assert.ok(await view.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: the page is too wide`);
      await view.screenshot({ path: path(folder, `${name}-${scheme}.png`), fullPage: name === "phone" });
      await view.close();
    }
  }
  assert.deepEqual(problems, []);
  report(`no errors, no other requests; pictures: ${folder}`);
} finally {
  await browser.close();
  server.close();
}
