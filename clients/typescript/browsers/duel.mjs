// Plays the duel in chromium and firefox: against the bot by both transports, and two pages against each other.

import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { join, launch, sleep, start, stop, until } from "./support.mjs";

const pictures = mkdtempSync(path(tmpdir(), "duel-"));
const show = (page, name) => page.screenshot({ path: path(pictures, `${name}.png`) });
const report = (text) => console.log(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${text}`);
const own = (page) => page.evaluate(() => game.own());

/** Player of a page as the server has it. */
async function onServer(page) {
  const { id } = await own(page);
  const all = await page.evaluate(async () => (await fetch("/state.json")).json());
  return all.find((it) => it.id === id);
}

/** Moves the pointer to the drawn place of an opponent. */
async function aim(page) {
  const to = await page.evaluate(() => {
    const other = game.drawn().players.find((it) => !it.isMine);
    return other && game.toPage(other);
  });
  if (to) await page.mouse.move(...to);
}

/** Plays with keys and mouse for some seconds. */
async function play(page, seconds, name) {
  await aim(page);
  await page.mouse.down();
  for (let turn = 0; turn < seconds * 2; turn++) {
    const key = ["KeyD", "KeyW", "KeyA", "KeyS"][turn % 4];
    await page.keyboard.down(key);
    for (const end = performance.now() + 400; performance.now() < end; await sleep(30)) await aim(page);
    if (turn % 4 === 1) await page.keyboard.press(" ");
    if (turn === 3) await show(page, name);
    await page.keyboard.up(key);
  }
  await page.mouse.up();
}

/** The own position is that of the server, and the hits on the screen are hits on the server. */
async function compare(page, label) {
  await sleep(600);
  const [here, there] = [await own(page), await onServer(page)];
  assert.deepEqual(here.position, there.position, label);
  assert.ok(there.claimed >= 5, `${label}: ${there.claimed} hits on the screen`);
  assert.ok(there.confirmed >= there.claimed * 0.95, `${label}: ${there.confirmed} of ${there.claimed} hits`);
  report(`${label}: the own position is the server's, ${there.confirmed} of ${there.claimed} hits confirmed, ${here.corrections} corrections`);
}

/** Most that a player moves in a second, in metres: `SPEED` of the rules. */
const SPEED = 5;

/**
 * Watches the bot for some seconds. Returns the largest movement between two frames beyond that of a runner in this time, in metres, the age
 * of the drawn tick, and the number of the frames.
 */
function watch(page, seconds) {
  return page.evaluate(async ({ seconds, speed }) => {
    const nextFrame = () => new Promise(requestAnimationFrame);
    const bot = () => game.drawn().players.find((it) => !it.isMine);
    const ages = [];
    let [largest, before, lives] = [0, undefined, undefined];
    for (const end = performance.now() + seconds * 1000; performance.now() < end; await nextFrame()) {
      const [{ at, behind }, other] = [game.frame(), bot()];
      if (behind !== undefined) ages.push(behind);
      // A fallen player begins elsewhere.
      if (before && other && other.deaths === lives) {
        const moved = Math.hypot(other.x - before.x, other.y - before.y);
        largest = Math.max(largest, moved - (speed * (at - before.at)) / 1000);
      }
      before = other && { ...other, at };
      lives = other?.deaths;
    }
    ages.sort((a, b) => a - b);
    return { largest, middle: ages[ages.length >> 1], oldest: ages.at(-1), frames: ages.length };
  }, { seconds, speed: SPEED });
}

const server = await start("duel");
report(`the duel: ${server.url}`);
const browsers = await Promise.all([launch("chrome"), launch("firefox")]);
try {
  for (const [index, browser] of browsers.entries()) {
    for (const transport of ["webtransport", "websocket"]) {
      const label = `${["chromium", "firefox"][index]} by ${transport}`;
      const page = await join(browser, [undefined, server.url], transport);
      assert.equal(await page.evaluate(() => game.client.transport), transport);
      await until(page, "the bot is here", () => game.drawn().players.length === 2);
      await play(page, 8, label.replaceAll(" ", "-"));
      await compare(page, label);
      await page.close();
    }
  }
  const pages = await Promise.all(browsers.map((browser) => join(browser, [undefined, server.url])));
  for (const page of pages) {
    await until(page, "the bot rests", () => game.drawn().players.length === 2 && !game.drawn().players.some((it) => it.name === "the bot"));
  }
  await Promise.all(pages.map((page, index) => play(page, 6, `together-${index}`)));
  for (const page of pages) await compare(page, "two pages");
  const phone = await join(browsers[0], [undefined, server.url], undefined, { width: 390, height: 780, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  await sleep(1500);
  await show(phone, "phone");
  // Each drawing page takes a core.
  for (const page of [...pages, phone]) await page.close();
  await watchOverBadLinks();
  report(`pictures: ${pictures}`);
} finally {
  await Promise.all(browsers.map((browser) => browser.close()));
  await stop(server);
}

/** The bot as seen over a link of 40 ms each way and 5 % loss: it neither jumps nor lags. Ends the browsers. */
async function watchOverBadLinks() {
  const far = await start("duel", "127.0.0.1:0", "--conditions", "40ms 0ms 5%");
  try {
    for (const [index, browser] of browsers.entries()) {
      const page = await join(browser, [undefined, far.url], "webtransport");
      await until(page, "the bot is here", () => game.drawn().players.length === 2);
      await sleep(2000);
      const { largest, middle, oldest, frames } = await watch(page, 30);
      const name = ["chromium", "firefox"][index];
      report(`${name} at 40 ms and 5 % loss: largest excess ${(largest * 100).toFixed(0)} cm in ${frames} frames, view ${middle.toFixed(1)} ticks behind, at most ${oldest.toFixed(1)}`);
      assert.ok(frames > 100, name);
      // A player has one browser open; a resting browser still takes turns of the processor.
      await browser.close();
    }
  } finally {
    await stop(far);
  }
}
