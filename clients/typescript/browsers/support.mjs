// A game as a process, pages, browsers, and conditions of the tests.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, extname, join as path } from "node:path";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
export const EXAMPLES = `${process.env.CARGO_TARGET_DIR ?? `${ROOT}target`}/debug/examples`;

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Starts a game: `arena` or `duel`. Returns its process and its URL. */
export function start(game, address = "127.0.0.1:0", ...options) {
  const server = spawn(`${EXAMPLES}/${game}`, [address, ...options], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`the game has ended (${code})`)));
    server.stdout.once("data", (line) => resolve({ server, url: String(line).trim() }));
  });
}

export async function stop({ server }) {
  server.removeAllListeners("exit");
  const ended = new Promise((done) => server.once("exit", done));
  server.kill();
  await ended;
}

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".wasm": "application/wasm" };

/** Serves the files of a folder of the workspace. Returns the URL of the page. */
export function servePage(folder) {
  const server = createServer(async (request, response) => {
    const name = basename(new URL(request.url, "http://localhost").pathname) || "index.html";
    const body = await readFile(path(ROOT, folder, name)).catch(() => undefined);
    response.writeHead(body ? 200 : 404, { "content-type": TYPES[extname(name)] ?? "text/plain" }).end(body);
  });
  // It ends with the process.
  server.unref();
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}/`)));
}

export function launch(browser) {
  const [executablePath, args] = browser === "chrome" ? ["/usr/bin/chromium", ["--no-sandbox"]] : ["/usr/bin/firefox-esr", []];
  return puppeteer.launch({ browser, executablePath, args, headless: true, protocolTimeout: 240_000 });
}

/** Opens a page for the server at a URL, by a transport if one is named, and waits for its object. */
export async function join(browser, [site, url], transport, viewport = { width: 1280, height: 760 }) {
  const page = await browser.newPage();
  await page.setViewport(viewport).catch((error) => {
    // Firefox ESR sets the size, but has no command for the orientation, which puppeteer sends next.
    if (!error.message.includes("setScreenOrientationOverride")) throw error;
  });
  const query = new URLSearchParams({ server: new URL(url).host, ...(transport && { transport }) });
  await page.goto(`${site ?? url}?${query}`);
  await until(page, "ready, with an own object", () => globalThis.game?.client.state === "ready" && [...game.client.objects.values()].some((it) => it.owned));
  return page;
}

/** Waits until a function of the page returns a true value. Returns the time in milliseconds. */
export async function until(page, what, test, limit = 20_000) {
  const from = performance.now();
  let last;
  while (performance.now() - from < limit) {
    last = await page.evaluate(test).catch((error) => void (last = error));
    if (last) return Math.round(performance.now() - from);
    await sleep(100);
  }
  throw new Error(`not within ${limit} ms: ${what}; ${await page.evaluate(() => (globalThis.game ? JSON.stringify([game.client.state, [...game.client.objects.keys()]]) : document.body.innerText))}`);
}

/** Waits until the objects of a page are those of the server: all fields but places, which differ by a step. */
export function untilEqual(page, limit = 20_000) {
  return until(page, "equal to the server", async () => {
    const server = new URLSearchParams(location.search).get("server");
    const theirs = await (await fetch(`http://${server}/state.json`)).json();
    const ours = game.objects();
    const places = (all) => all.map(({ position }) => position);
    const near = places(theirs).every((there, index) => {
      const here = places(ours)[index];
      return there === here || (here && Math.hypot(there.x - here.x, there.y - here.y) < 1.5);
    });
    const rest = (all) => JSON.stringify(all.map(({ position, ...fields }) => Object.entries(fields).sort()));
    return near && rest(theirs) === rest(ours);
  }, limit);
}

/** Stops or continues a process and those that it has started. */
export function signal(pid, name) {
  const children = new Map();
  for (const entry of readdirSync("/proc").filter((it) => /^\d+$/.test(it))) {
    try {
      const parent = Number(readFileSync(`/proc/${entry}/stat`, "utf8").split(") ")[1].split(" ")[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    } catch {
      // It has ended.
    }
  }
  const visit = (id) => {
    process.kill(id, name);
    for (const child of children.get(id) ?? []) visit(child);
  };
  visit(pid);
}
