// Plays the shooter in chromium and firefox over a slow link: an own body answers at once, and ends where the server has it; a shot
// hits what the shooter has seen. Needs page/build and the program of the server.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, sleep, stop, until } from "../../../clients/typescript/browsers/support.mjs";

const TARGET = process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL("../../target", import.meta.url));
/** Delay of the link in each direction, in milliseconds. */
const DELAY = 100;
const pictures = mkdtempSync(join(tmpdir(), "shooter-"));

function start() {
  const server = spawn(join(TARGET, "debug/shooter"), ["server", "127.0.0.1:0", join(TARGET, "page"), String(DELAY)], { stdio: ["pipe", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`the server has ended (${code})`)));
    server.stdout.once("data", (line) => resolve({ server, url: String(line).trim() }));
  });
}

/** Dots of a page: places, whose they are, and sizes. */
const dots = (page) => page.evaluate(() => [...document.querySelectorAll("circle")].map((it) => ({ x: it.cx.baseVal.value, y: it.cy.baseVal.value, own: it.className.baseVal === "own", large: it.r.baseVal.value > 0.3 })));
const body = async (page, own) => (await dots(page)).find((it) => it.large && it.own === own);
const log = (page) => page.evaluate(() => document.querySelector("#log").innerText.split("\n"));
const status = (page) => page.evaluate(() => document.querySelector("#status").innerText);

async function open(browser, url, transport) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error));
  await page.goto(`${url}?transport=${transport}`);
  await until(page, "an own body", () => document.querySelectorAll("circle.own").length === 1);
  return page;
}

/** Runs for a moment. Returns the time from the key to the first movement of the own body, in milliseconds of the page. */
async function run(page, key) {
  await page.evaluate(() => {
    const own = () => document.querySelector("circle.own").cx.baseVal.value;
    addEventListener("keydown", () => {
      const [from, at] = [performance.now(), own()];
      const look = () => (own() === at ? requestAnimationFrame(look) : (globalThis.answered = performance.now() - from));
      look();
    }, { once: true });
  });
  await page.keyboard.down(key);
  await sleep(600);
  await page.keyboard.up(key);
  return page.evaluate(() => globalThis.answered);
}

const game = await start();
const browsers = await Promise.all([launch("chrome"), launch("firefox")]);
try {
  const pages = [await open(browsers[0], game.url, "webtransport"), await open(browsers[1], game.url, "websocket")];
  for (const page of pages) await until(page, "the rival", () => document.querySelectorAll("circle.rival").length === 1);
  for (const [index, key] of ["a", "d"].entries()) {
    const [page, other] = [pages[index], pages[1 - index]];
    const name = ["chromium by webtransport", "firefox by websocket"][index];
    const before = await body(page, true);
    const answered = await run(page, key);
    // Two ways of the link, the views of both pages.
    await sleep(1500);
    const [own, seen] = [await body(page, true), await body(other, false)];
    assert.ok(Math.abs(own.x - before.x) > 1, `${name} runs from ${before.x} to ${own.x}`);
    assert.ok(answered < 2 * DELAY, `${name}: the body answers after ${answered} ms, before the server can`);
    assert.ok(own.x === seen.x && own.y === seen.y, `${name}: the other page sees the body at ${seen.x}, ${seen.y} and not at ${own.x}, ${own.y}`);
    console.log(`${name}: the body answers after ${Math.round(answered)} ms over a link of ${2 * DELAY} ms; ${await status(page)}`);
  }
  // The first body walks to the line of the second one, turns to it and fires.
  const [page, rival] = pages;
  const below = async () => (await body(page, true)).y - (await body(page, false)).y;
  for (let left = await below(); Math.abs(left) > 0.25; left = await below()) {
    await page.keyboard.press(left > 0 ? "w" : "s", { delay: 30 });
    await sleep(100);
  }
  await page.keyboard.press("d", { delay: 60 });
  await sleep(600);
  await page.keyboard.down("f");
  await until(page, "the shell", () => [...document.querySelectorAll("circle.own")].some((it) => it.r.baseVal.value < 0.3));
  await page.screenshot({ path: join(pictures, "chromium.png") });
  await rival.screenshot({ path: join(pictures, "firefox.png") });
  await page.keyboard.up("f");
  for (const end of pages) await until(end, "the hit", () => document.querySelector("#log").innerText.includes("2: 2 left"));
  assert.ok((await log(page)).includes("bang"), "a bang in the page of the shooter");
  assert.ok(!(await log(rival)).includes("bang"), "no bang in the page of the target");
  console.log(`${(await below()).toFixed(2)} m beside the line of the rival: a hit; pictures: ${pictures}`);
} finally {
  await Promise.all(browsers.map((browser) => browser.close()));
  await stop(game);
}
