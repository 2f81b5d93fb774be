// Follows a running server with a delay, in the page of `syncvar replay`: the example `broadcast` records into file after file, chromium and firefox watch.
// The programs are those that cargo has built.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, sleep } from "./support.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const programs = `${process.env.CARGO_TARGET_DIR ?? `${root}target`}/debug`;
const folder = mkdtempSync(path(tmpdir(), "broadcast-"));
const report = (text) => console.log(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${text}`);

/** Seconds of the delay, of the recording, and of each of its files. */
const DELAY = 4;
const LENGTH = 40;
const ROTATION = 12;

/** Ticks of a side, and between two cars: those of the example. */
const SIDE = 90;
const BETWEEN = 30;

/** Starts a program. Returns it with its first line. */
function run(program, ...args) {
  const process = spawn(path(programs, program), args, { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    process.once("error", reject);
    process.once("exit", (code) => reject(new Error(`${program} has ended (${code})`)));
    process.stdout.once("data", (line) => {
      process.removeAllListeners("exit");
      resolve({ process, line: String(line).trim() });
    });
  });
}

/** Returns the place of a car, as the example does. */
function place(way) {
  const along = way % SIDE;
  return [[along, 0], [SIDE, along], [SIDE - along, SIDE], [0, SIDE - along]][Math.floor(way / SIDE) % 4];
}

const state = (page) => page.evaluate(() => ({
  position: replay.position - replay.start,
  end: replay.end - replay.start,
  tick: replay.tick,
  isFollowing: replay.isFollowing,
  isWhole: replay.header.isWhole,
  markers: replay.markers.length,
  cars: [...replay.objects.values()].map(({ id, behaviours }) => [id, behaviours[0].fields.position.x, behaviours[0].fields.position.y]),
}));

/** Waits until a function of the page returns `true`. */
async function until(page, test) {
  for (let tries = 0; tries < 200; tries++) {
    if (await page.evaluate(test).catch(() => false)) return;
    await sleep(100);
  }
  throw new Error(`not within 20 s: ${test}`);
}

async function watch(kind) {
  const browser = await launch(kind);
  const files = path(folder, kind);
  mkdirSync(files);
  const recording = await run("examples/broadcast", path(files, "race.mcap"), String(LENGTH), String(ROTATION));
  // The example prints its line at 1 s.
  const begin = performance.now() - 1000;
  const seconds = () => (performance.now() - begin) / 1000;
  let server;
  try {
    while (!server) server = await run("syncvar", "replay", files, "--listen", "127.0.0.1:0", "--delay", String(DELAY)).catch(() => sleep(200));
    const page = await browser.newPage();
    const problems = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.setViewport({ width: 1440, height: 900 }).catch(() => {});
    await page.goto(server.line);
    await until(page, () => document.getElementById("error")?.textContent === "The broadcast has not begun.");
    await page.waitForSelector("body.ready", { timeout: 20_000 });
    assert.ok(seconds() > DELAY, "nothing is shown before the delay");
    let last = -1;
    let first;
    let most = 0;
    const look = async () => {
      const before = seconds();
      const now = await state(page);
      // The clock of this script lags behind that of the example by the time of its line.
      assert.ok(now.end <= before + 1 - DELAY + 0.5, `${now.end} s are shown at ${before} s`);
      assert.equal(now.cars.length, 8);
      first ??= now.tick;
      for (const [id, x, y] of now.cars) {
        const at = now.cars[0][0];
        const way = [...Array(4 * SIDE).keys()].find((way) => String(place(way + BETWEEN * (id - at))) === `${x},${y}` && String(place(way)) === `${now.cars[0][1]},${now.cars[0][2]}`);
        assert.notEqual(way, undefined, `car ${id} of the tick ${now.tick} is at ${x}, ${y}`);
      }
      most = Math.max(most, before - now.position);
      return now;
    };
    while (seconds() < 20) {
      const now = await look();
      assert.ok(now.isFollowing && now.position >= last, "it plays on");
      last = now.position;
      await sleep(300);
    }
    assert.ok(last > 8, `it has played up to ${last} s`);
    report(`${kind}: at most ${most.toFixed(1)} s behind the server, with a delay of ${DELAY} s`);
    await page.screenshot({ path: path(folder, `${kind}.png`) });
    await page.keyboard.press("Home");
    await sleep(1000);
    const home = await look();
    assert.ok(!home.isFollowing && home.position < 5, "a seek leaves the end");
    await page.click("#live");
    await sleep(2000);
    const again = await look();
    assert.ok(again.isFollowing && again.position > last, "Live leads back to the end");
    while (!(await state(page)).isWhole) await sleep(500);
    await until(page, () => replay.position === replay.end);
    const end = await state(page);
    assert.ok(seconds() > LENGTH + DELAY - 2, "the last records are shown behind the delay, too");
    assert.deepEqual([end.isFollowing, end.markers], [false, Math.floor(LENGTH / 10)]);
    assert.ok(await page.evaluate(() => document.getElementById("live").hidden), "a whole file has no Live");
    assert.deepEqual(problems, []);
    const count = readdirSync(files).length;
    assert.equal(count, Math.ceil(LENGTH / ROTATION));
    report(`${kind}: the recording has ended, and the page has all of its ${count} files: ${end.position.toFixed(1)} s`);
  } finally {
    await browser.close();
    for (const it of [recording, server]) it?.process.kill();
  }
}

for (const kind of ["chrome", "firefox"]) await watch(kind);
report(`pictures: ${folder}`);
