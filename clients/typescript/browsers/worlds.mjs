// Plays random worlds in chromium and firefox: `WORLDS` is the program `pages` of `testing/`, `WORLD_COUNT` the number for each browser.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { begin } from "../tests/world-process.mjs";
import { launch } from "./support.mjs";

const { WORLDS, WORLD_COUNT = "50" } = process.env;
const FILES = { "/syncvar.js": "../syncvar.js", "/worlds.mjs": "../tests/worlds.mjs", "/sockets.mjs": "../tests/sockets.mjs" };

let rust;
const site = createServer(async (request, response) => {
  // Requests: a function of the driver takes half a minute for each world in firefox.
  if (request.method === "POST") {
    return response.end(JSON.stringify(await rust.exchange(await json(request))));
  }
  const file = FILES[request.url];
  const body = file ? await readFile(new URL(file, import.meta.url)) : "<!doctype html>";
  response.writeHead(200, { "content-type": file ? "text/javascript" : "text/html" }).end(body);
});
await new Promise((done) => site.listen(0, "127.0.0.1", done));
const failures = [];
for (const name of ["chrome", "firefox"]) {
  const browser = await launch(name);
  rust = begin(WORLDS);
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${site.address().port}/`);
    // A world replaces `fetch`.
    await page.evaluate(() => {
      const send = globalThis.fetch.bind(globalThis);
      globalThis.exchange = async (value) => (await send("/", { method: "POST", body: JSON.stringify(value) })).json();
    });
    for (let seed = 0; seed < Number(WORLD_COUNT); seed++) {
      const failure = await page.evaluate(async (seed) => {
        const [{ Client }, { play }] = await Promise.all([import("/syncvar.js"), import("/worlds.mjs")]);
        return play(Client, seed, exchange).then(() => undefined, (error) => error.message);
      }, seed);
      if (failure) failures.push(`${name}, seed ${seed}: ${failure}`);
    }
    console.log(`${name}: ${WORLD_COUNT} worlds`);
  } finally {
    rust.end();
    await browser.close();
  }
}
site.close();
if (failures.length) throw new Error(failures.join("\n"));
