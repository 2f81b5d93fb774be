// The client in chromium and firefox with 10 000 objects: shares of a core for decoding and drawing, and the longest tick.
//
// `npm run browser`, or `npm run browser another/syncvar.js`.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import puppeteer from "puppeteer-core";

const file = (path) => readFileSync(new URL(path, import.meta.url));
const FILES = {
  "/": ["text/html", "<!doctype html><canvas width=1000 height=700></canvas><script type=module src=page.mjs></script>"],
  "/page.mjs": ["text/javascript", file("page.mjs")],
  "/session.mjs": ["text/javascript", file("session.mjs")],
  "/syncvar.js": ["text/javascript", process.argv[2] ? readFileSync(process.argv[2]) : file("../syncvar.js")],
};
const server = createServer(({ url }, response) => {
  const [type, body] = FILES[url] ?? ["text/plain", ""];
  response.writeHead(body ? 200 : 404, { "content-type": type }).end(body);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
for (const [browser, executablePath] of [["chrome", "/usr/bin/chromium"], ["firefox", "/usr/bin/firefox-esr"]]) {
  const process = await puppeteer.launch({ browser, executablePath, headless: true, args: browser === "chrome" ? ["--no-sandbox"] : [] });
  const page = await process.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  let result;
  while (!(result = await page.evaluate(() => globalThis.result))) await new Promise((done) => setTimeout(done, 200));
  console.log(browser, result);
  await process.close();
}
server.close();
