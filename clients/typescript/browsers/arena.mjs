// Plays the arena in chromium and firefox: with the page of the arena, or as `wasm` with that of examples/arena_wasm.
// `full` lets a tab sleep for 60 s, otherwise 20 s: the server takes a silence of 15 s.

import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { join, launch, servePage, signal, sleep, start, stop, until, untilEqual } from "./support.mjs";

const SLEEP = process.argv.includes("full") ? 60_000 : 20_000;
/** URL of the page, if it is not that of the arena. */
const site = process.argv.includes("wasm") ? await servePage("target/arena_wasm") : undefined;
const pictures = mkdtempSync(path(tmpdir(), "arena-"));
const show = (page, name) => page.screenshot({ path: path(pictures, `${name}.png`) });
const report = (text) => console.log(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${text}`);
const mine = (page) => page.evaluate(() => [...game.client.objects.values()].find((it) => it.owned && it.get("Fighter")).id);
const transport = (page) => page.evaluate(() => game.client.transport);

/** Two pages and the bots in one game. */
async function playTogether(browsers, url) {
  const from = performance.now();
  const pages = await Promise.all(browsers.map((browser) => join(browser, [site, url])));
  for (const page of pages) {
    await until(page, "five fighters", () => [...game.client.objects.values()].filter((it) => it.get("Fighter")?.fields.name).length === 5);
    await untilEqual(page);
    assert.equal(await transport(page), "webtransport");
  }
  report(`both pages and three bots play together after ${Math.round(performance.now() - from)} ms`);
  for (const [index, page] of pages.entries()) {
    const before = await page.evaluate(() => ({ ...[...game.client.objects.values()].find((it) => it.owned).get("Body").fields.position }));
    await page.keyboard.down("ArrowLeft");
    await sleep(700);
    await page.keyboard.up("ArrowLeft");
    await sleep(300);
    const after = await page.evaluate(() => [...game.client.objects.values()].find((it) => it.owned).get("Body").fields.position);
    assert.ok(after.x < before.x - 1 || after.x === -12, `page ${index} walks from ${before.x} to ${after.x}`);
    await page.keyboard.press("KeyQ");
    await until(page, "on guard", () => [...game.client.objects.values()].find((it) => it.owned).get("Fighter").fields.stance === "OnGuard");
    await untilEqual(page);
    await show(page, `together-${index}`);
  }
  for (const page of pages) await page.close();
}

/** One transport by name. */
async function playBy(browser, url, name, label) {
  const page = await join(browser, [site, url], name);
  assert.equal(await transport(page), name);
  await untilEqual(page);
  await sleep(3000);
  await untilEqual(page);
  await show(page, `${label}-${name}`);
  report(`${label} by ${name}: equal to the server`);
  await page.close();
}

/** Sleep of a tab: behind another one and frozen in chromium, with all processes in firefox. */
async function sleepIn(browser, page, label) {
  if (label === "chromium") {
    const [session, front] = [await page.createCDPSession(), await browser.newPage()];
    await session.send("Page.setWebLifecycleState", { state: "frozen" });
    await sleep(SLEEP);
    await session.send("Page.setWebLifecycleState", { state: "active" });
    await front.close();
    return page.bringToFront();
  }
  const pid = browser.process().pid;
  signal(pid, "SIGSTOP");
  await sleep(SLEEP);
  return signal(pid, "SIGCONT");
}

/** A tab sleeps and returns to its fighter. */
async function sleepAndReturn(browser, url, name, label) {
  const page = await join(browser, [site, url], name);
  const before = await mine(page);
  await sleepIn(browser, page, label);
  const waited = await untilEqual(page, 30_000);
  await until(page, "ready", () => game.client.state === "ready");
  assert.equal(await mine(page), before, "the same fighter");
  report(`${label} by ${name}: equal ${waited} ms after a sleep of ${SLEEP / 1000} s`);
  await page.close();
}

/** The server is restarted under a page. */
async function restart(browser, arena, name, label) {
  const page = await join(browser, [site, arena.url], name);
  await stop(arena);
  await until(page, "the loss is noticed", () => globalThis.game.client.state !== "ready", 30_000);
  await show(page, `${label}-${name}-lost`);
  const next = await start("arena", new URL(arena.url).host);
  const from = performance.now();
  await until(page, "ready", () => globalThis.game.client.state === "ready" && [...globalThis.game.client.objects.values()].some((it) => it.owned));
  await untilEqual(page);
  report(`${label} by ${name}: equal ${Math.round(performance.now() - from)} ms after a restart of the server`);
  await page.close();
  return next;
}

let arena = await start("arena");
report(`the arena: ${arena.url}`);
const browsers = await Promise.all([launch("chrome"), launch("firefox")]);
try {
  await playTogether(browsers, arena.url);
  const phone = await join(browsers[0], [site, arena.url], undefined, { width: 390, height: 780, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  await sleep(2500);
  await show(phone, "phone");
  await phone.close();
  for (const [index, browser] of browsers.entries()) {
    const label = ["chromium", "firefox"][index];
    for (const name of ["webtransport", "websocket"]) {
      await playBy(browser, arena.url, name, label);
      await sleepAndReturn(browser, arena.url, name, label);
      arena = await restart(browser, arena, name, label);
    }
  }
  report(`pictures: ${pictures}`);
} finally {
  await Promise.all(browsers.map((browser) => browser.close()));
  await stop(arena);
}
