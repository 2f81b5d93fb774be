// Watches the continent in a browser as a player of the gateway and as a spectator of the relay, and kills both zones: no walker disappears.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { EXAMPLES, launch, sleep, until } from "./support.mjs";

const BOTS = 50;
const pictures = mkdtempSync(path(tmpdir(), "continent-"));
const report = (text) => console.log(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${text}`);

/** Starts the continent. Returns the process and both URLs. */
function start() {
  const server = spawn(`${EXAMPLES}/continent`, [`${BOTS}`], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let text = "";
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`the continent has ended (${code})`)));
    server.stdout.on("data", (data) => {
      text += data;
      const urls = text.match(/http:\S+/g);
      if (urls?.length === 2) resolve({ server, urls });
    });
  });
}

async function open(browser, url) {
  const page = await browser.newPage();
  await page.setViewport({ width: 1200, height: 720 }).catch(() => {});
  await page.goto(url);
  return page;
}

/** Counts of a page: walkers, walkers that disappeared, processes of the zones with a sign of life in the last half second. */
const counts = (page) =>
  page.evaluate(() => ({
    walkers: game.walkers.size,
    gone: game.counts.despawns,
    handovers: game.counts.handovers,
    processes: [1, 2].map((zone) => {
      const { post, at } = game.posts.get(zone) ?? {};
      return post && performance.now() - at < 500 ? post.fields.processes : 0;
    }),
  }));

const { server, urls } = await start();
report(`the continent: ${urls[0]}`);
const browser = await launch("chrome");
try {
  const player = await open(browser, urls[0]);
  await until(player, "all walkers", `game.walkers.size === ${BOTS + 1}`, 20_000);
  const spectator = await open(browser, urls[1]);
  await until(spectator, "all walkers by the relay", `game.walkers.size === ${BOTS + 1}`, 60_000);
  await player.bringToFront();
  for (const zone of [1, 2]) {
    await until(player, "both zones", "[1, 2].every((zone) => performance.now() - game.posts.get(zone)?.at < 500)");
    const before = (await counts(player)).processes[zone - 1];
    await player.click(`#zone${zone} button`);
    const from = performance.now();
    await until(player, "the loss of the process", `performance.now() - game.posts.get(${zone}).at > 500`);
    await player.screenshot({ path: path(pictures, `zone-${zone}-killed.png`) });
    await until(player, "the next process", `game.posts.get(${zone}).post.fields.processes === ${before + 1}`, 60_000);
    report(`zone ${zone}: the next process goes on after ${Math.round(performance.now() - from)} ms`);
  }
  await sleep(5000);
  for (const [name, page] of Object.entries({ player, spectator })) {
    await page.bringToFront();
    await sleep(1000);
    const { walkers, gone, handovers } = await counts(page);
    await page.screenshot({ path: path(pictures, `${name}.png`) });
    report(`${name}: ${walkers} walkers, ${handovers} handovers, ${gone} disappeared`);
    assert.deepEqual([walkers, gone], [BOTS + 1, 0], name);
  }
  report(`pictures: ${pictures}`);
} finally {
  await browser.close();
  server.removeAllListeners("exit");
  // Its children end with it.
  server.kill();
}
