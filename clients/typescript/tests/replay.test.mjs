// The replay against a file of a server in Rust: `replay.mcap`, and `replay.json` with the states that the player in Rust has at random times.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { McapIndexedReader } from "@mcap/core";
import { build } from "esbuild";
import { decompress } from "fzstd";

const root = fileURLToPath(new URL("..", import.meta.url));
const file = readFileSync(new URL("replay.mcap", import.meta.url));
const states = JSON.parse(readFileSync(new URL("replay.json", import.meta.url), "utf8"));
const folder = mkdtempSync(join(root, "node_modules/.replay-"));
let Replay, LogError;

before(async () => {
  const outfile = join(folder, "replay.mjs");
  await build({ entryPoints: [join(root, "src/replay.ts")], bundle: true, format: "esm", target: "es2022", external: ["fzstd"], outfile });
  ({ Replay, LogError } = await import(outfile));
});
after(() => rmSync(folder, { recursive: true }));

/** Returns a value as the player in Rust writes it. */
function plain(value) {
  if (value === undefined || value === null) return null;
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, it]) => [key, plain(it)]));
  if (Array.isArray(value) || value instanceof Set) return [...value].map(plain);
  if (typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, plain(it)]));
  return value;
}

/** Returns the fields of the behaviours of each object, without those that nobody but the owner receives. */
function stateOf(replay) {
  const fields = (it) => Object.fromEntries(Object.entries(it.fields).filter(([name]) => name !== "fuel").map(([name, value]) => [name, plain(value)]));
  return Object.fromEntries([...replay.objects.values()].map(({ id, behaviours }) => [id, behaviours.map(fields)]));
}

function expected(state) {
  for (const behaviours of Object.values(state)) for (const behaviour of behaviours) delete behaviour.fuel;
  return state;
}

test("random seeks have the states of the player in Rust", async () => {
  const replay = await Replay.open(file);
  assert.equal(states.length, 200);
  for (const [micros, tick, state] of states) {
    await replay.seek(micros / 1e6);
    assert.equal(replay.tick, tick);
    assert.deepEqual(stateOf(replay), expected(state), `${micros} µs`);
    assert.ok([...replay.objects.values()].every((it) => it.get("Car")?.fields.fuel === undefined));
  }
});

test("1000 random seeks have the states of a replay from begin to end", async () => {
  const replay = await Replay.open(file);
  const played = [];
  const keep = () => played.push([replay.recordTime, replay.tick, JSON.stringify(stateOf(replay))]);
  keep();
  replay.on("tick", keep);
  await replay.advance(replay.duration);
  assert.ok(played.length > 900);
  for (let seed = 1; seed <= 1000; seed++) {
    // A quarter of them goes on from the place before.
    const from = seed % 4 ? replay.start : replay.position;
    const time = from + (((seed * 7919) % 1201) / 1200) * (replay.end - from);
    await replay.seek(time);
    const [recordTime, tick, state] = played.findLast(([at]) => at <= replay.position);
    assert.deepEqual([replay.recordTime, replay.tick], [recordTime, tick]);
    assert.equal(JSON.stringify(stateOf(replay)), state, `${time} s`);
  }
});

test("a journal plays with all of its fields, without the facts of the server", async () => {
  const [tick, state] = JSON.parse(readFileSync(new URL("journal.json", import.meta.url), "utf8"));
  const replay = await Replay.open(readFileSync(new URL("journal.mcap", import.meta.url)));
  assert.equal(replay.header.kind, "journal");
  await replay.seek(replay.end);
  assert.equal(replay.tick, tick);
  const fields = (it) => Object.fromEntries(Object.entries(it.fields).map(([name, value]) => [name, plain(value)]));
  assert.deepEqual(Object.fromEntries([...replay.objects.values()].map(({ id, behaviours }) => [id, behaviours.map(fields)])), state);
});

test("the reader of MCAP's own project reads the file", async () => {
  const readable = { size: async () => BigInt(file.length), read: async (from, length) => file.subarray(Number(from), Number(from + length)) };
  const decompressHandlers = { zstd: (bytes, size) => decompress(bytes, new Uint8Array(Number(size))) };
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  assert.equal(reader.header.profile, "syncvar");
  const topics = new Map();
  let last = 0n;
  for await (const { channelId, logTime, data } of reader.readMessages()) {
    const { topic } = reader.channelsById.get(channelId);
    topics.set(topic, (topics.get(topic) ?? 0) + 1);
    assert.ok(logTime >= last && data.length > 0);
    last = logTime;
  }
  const { keyframes, markers, end } = await Replay.open(file);
  assert.deepEqual([topics.get("/syncvar/keyframes"), topics.get("/syncvar/markers")], [keyframes.length, markers.length]);
  assert.ok(topics.get("/syncvar/records") > 900);
  assert.equal(Number(last / 1000n) / 1e6, end);
});

test("a file describes itself", async () => {
  const replay = await Replay.open(file);
  const { header, markers, keyframes } = replay;
  assert.deepEqual([header.kind, header.tickRate, header.isWhole, header.size], ["recording", 30, true, file.length]);
  assert.equal(header.program.get("map"), "harbour");
  assert.deepEqual(keyframes.length, 8);
  assert.deepEqual(markers.map(({ name }) => name), ["check", "round", "check", "round", "check", "round", "check"]);
  assert.deepEqual(markers[1].value, { leader: 2 });
  assert.equal(replay.start, 10);
  assert.ok(Math.abs(replay.duration - 1199 * 0.033333) < 1e-9);
});

test("events run in play and in a step, and not in a seek", async () => {
  const replay = await Replay.open(file);
  const heard = { spawn: 0, "Car.lap": 0, "Car.honk": 0, tick: 0, despawn: 0 };
  for (const name of Object.keys(heard)) replay.on(name, () => heard[name]++);
  await replay.seek(20);
  await replay.seek(45);
  await replay.seek(12);
  assert.deepEqual(Object.values(heard), [0, 0, 0, 0, 0]);
  await replay.advance(20);
  for (const [name, count] of Object.entries(heard)) assert.ok(count > 0, name);
  const { tick } = heard;
  // Some ticks have no changes.
  assert.ok(tick > 580 && tick <= 601, `${tick}`);
  assert.ok(await replay.step(1));
  assert.equal(heard.tick, tick + 1);
  assert.ok(await replay.step(-1));
  assert.equal(heard.tick, tick + 1);
});

test("steps forward and back meet each tick, with the events of its record", async () => {
  const replay = await Replay.open(file);
  await replay.seek(14.9);
  const there = [];
  do there.push([replay.tick, stateOf(replay), replay.events.length]);
  while (there.length < 30 && (await replay.step(1)));
  for (let at = there.length - 2; at >= 0; at--) {
    assert.ok(await replay.step(-1));
    assert.deepEqual([replay.tick, stateOf(replay), replay.events.length], there[at]);
  }
  await replay.seek(replay.start);
  assert.equal(await replay.step(-1), false);
  await replay.seek(replay.end);
  assert.equal(await replay.step(1), false);
});

test("play advances with the time of its speed, and ends with the file", async () => {
  const replay = await Replay.open(file);
  await replay.seek(40);
  const speeds = [];
  replay.on("state", (speed) => speeds.push(speed));
  const from = performance.now();
  const ended = new Promise((done) => replay.on("state", (speed) => speed === undefined && done()));
  replay.play(1000);
  await ended;
  assert.deepEqual(speeds, [64, undefined]);
  assert.ok(performance.now() - from < 3000);
  assert.equal(replay.position, replay.end);
});

test("the bytes of prefabs and fields are those of the record", async () => {
  const replay = await Replay.open(file);
  replay.isMeasured = true;
  await replay.seek(13);
  const sums = new Map();
  let length = 0;
  replay.on("tick", () => {
    for (const [name, bytes] of replay.costs) {
      sums.set(name, (sums.get(name) ?? 0) + bytes);
      length += bytes;
    }
  });
  await replay.advance(10);
  for (const name of ["car: Car.position", "car: Car.speed", "car: Car.lap", "car: collections and masks", "calls", "heads", "light: Light.is_green"]) assert.ok(sums.get(name) > 0, name);
  assert.equal(sums.get("car: Car.position") % 12, 0);
  assert.ok(length > 0);
});

/** Serves bytes, by range requests unless `isWhole`. Returns the address and the number of bytes that were sent. */
async function serve(context, bytes, isWhole = false) {
  const sent = { bytes: 0, requests: 0 };
  const server = createServer((request, response) => {
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range) ?? [];
    const part = isWhole ? bytes : bytes.subarray(Number(from), Number(to) + 1);
    sent.bytes += part.length;
    sent.requests++;
    response.writeHead(isWhole ? 200 : 206, { "content-length": part.length, ...(!isWhole && { "content-range": `bytes ${from}-${to}/${bytes.length}` }) }).end(part);
  });
  context.after(() => server.close());
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/log.mcap`, sent };
}

test("a file on a web space is read by parts", async (context) => {
  const { url, sent } = await serve(context, file);
  const replay = await Replay.open(url);
  await replay.seek(30);
  const local = await Replay.open(file);
  await local.seek(30);
  assert.deepEqual(stateOf(replay), stateOf(local));
  assert.ok(sent.requests < 20, `${sent.requests} requests`);
});

test("a jump asks for its chunks at a time", async (context) => {
  const { url, sent } = await serve(context, file);
  const replay = await Replay.open(url);
  sent.requests = 0;
  await replay.seek(34.9);
  assert.equal(sent.requests, 1);
});

/** Serves a file that is being written: its first bytes. */
function growing(length) {
  const source = {
    size: length,
    length,
    measure: async () => source.length,
    read: async (from, count) => file.subarray(from, from + count),
  };
  return source;
}

test("a file that is being written grows up to its end", async () => {
  const whole = await Replay.open(file);
  const source = growing(12_000);
  const replay = await Replay.open(source);
  let grown = 0;
  replay.on("grown", () => grown++);
  while (!replay.header.isWhole) {
    source.length = Math.min(source.length + 1237, file.length);
    const end = replay.end;
    const isGrown = await replay.refresh();
    // The chunk of a marker has the time of the record before it.
    if (!isGrown) assert.equal(replay.end, end);
    await replay.seek(replay.end);
    await whole.seek(replay.end);
    assert.deepEqual([replay.tick, stateOf(replay)], [whole.tick, stateOf(whole)]);
  }
  assert.ok(grown > 5, `${grown}`);
  assert.deepEqual([replay.markers, replay.keyframes, replay.end, replay.header.size], [whole.markers, whole.keyframes, whole.end, file.length]);
  assert.equal(await replay.refresh(), false);
});

test("a follower waits at the end, plays on, and ends with the recording", async () => {
  const source = growing(30_000);
  const replay = await Replay.open(source);
  await replay.follow();
  assert.ok(replay.isFollowing && replay.speed === 1);
  await replay.advance(10);
  assert.equal(replay.position, replay.end);
  assert.ok(replay.isFollowing, "it waits");
  const { end } = replay;
  source.length = 50_000;
  assert.ok(await replay.refresh());
  let ticks = 0;
  replay.on("tick", () => ticks++);
  await replay.advance(1);
  assert.ok(replay.position > end && ticks > 20);
  // A reader that was asleep is at the end again.
  source.length = file.length;
  await replay.refresh();
  await replay.advance(100);
  assert.equal(replay.position, replay.end);
  assert.ok(!replay.isFollowing && replay.speed === undefined, "the recording has ended");
});

test("a pause and a seek end the following", async () => {
  const replay = await Replay.open(growing(30_000));
  for (const end of [() => replay.pause(), () => replay.seek(12), () => replay.play(2)]) {
    await replay.follow();
    assert.ok(replay.isFollowing);
    await end();
    assert.ok(!replay.isFollowing);
  }
  replay.pause();
});

test("a web space tells that a file has grown", async (context) => {
  let length = 30_000;
  const server = createServer((request, response) => {
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range);
    if (Number(from) >= length) return response.writeHead(416, { "content-range": `bytes */${length}` }).end();
    const part = file.subarray(Number(from), Math.min(Number(to) + 1, length));
    response.writeHead(206, { "content-range": `bytes ${from}-${Number(from) + part.length - 1}/${length}` }).end(part);
  });
  context.after(() => server.close());
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const replay = await Replay.open(`http://127.0.0.1:${server.address().port}/log.mcap`);
  assert.equal(await replay.refresh(), false);
  for (length of [45_000, file.length]) {
    assert.ok(await replay.refresh());
    assert.equal(replay.header.size, length);
  }
  assert.ok(replay.header.isWhole);
});

test("a web space without range requests serves a short file", async (context) => {
  const { url, sent } = await serve(context, file, true);
  assert.equal((await Replay.open(url)).header.size, file.length);
  assert.equal(sent.requests, 1);
});

test("a missing file is an error with its address", async (context) => {
  const server = createServer((_, response) => response.writeHead(404).end());
  context.after(() => server.close());
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${server.address().port}/none.mcap`;
  await assert.rejects(Replay.open(url), { message: `${url}: 404 Not Found` });
});

test("a file of another kind is refused by name", async () => {
  await assert.rejects(Replay.open(new Uint8Array(100)), (error) => error instanceof LogError && /no MCAP file/.test(error.message));
  await assert.rejects(Replay.open(new Uint8Array()), /no MCAP file/);
});

test("a cut file plays up to its last whole chunk", async () => {
  const whole = await Replay.open(file);
  for (const part of [0.3, 0.6, 0.9, 0.99]) {
    const replay = await Replay.open(file.subarray(0, Math.floor(file.length * part)));
    assert.equal(replay.header.isWhole, false);
    await replay.seek(replay.end);
    await whole.seek(replay.end);
    assert.deepEqual(stateOf(replay), stateOf(whole));
  }
});

test("damaged bytes are refused or without effect, and never a wrong world", async () => {
  const whole = await Replay.open(file);
  const right = new Map();
  const stateAt = async (time) => {
    if (!right.has(time)) {
      await whole.seek(time);
      right.set(time, stateOf(whole));
    }
    return right.get(time);
  };
  let refused = 0;
  // Each byte at its turn: a prime number of bytes further. Several processes share many flips by their first seeds.
  const flips = Number(process.env.REPLAY_FLIPS ?? 300);
  const first = Number(process.env.REPLAY_SEED ?? 1);
  for (let seed = first; seed < first + flips; seed++) {
    const bytes = new Uint8Array(file);
    bytes[(seed * 7919) % file.length] ^= 1 << seed % 8;
    try {
      const replay = await Replay.open(bytes);
      const time = 10 + ((seed * 31) % 390) / 10;
      await replay.seek(time);
      assert.deepEqual(stateOf(replay), await stateAt(Math.min(time, replay.end)), `seed ${seed}`);
    } catch (error) {
      assert.ok(error instanceof LogError, `seed ${seed}: ${error.stack}`);
      refused++;
    }
  }
  assert.ok(refused > 30, `${refused}`);
});

test("each changed byte of a cut file is refused, or leaves the state of a tick", async () => {
  const journal = readFileSync(new URL("journal.mcap", import.meta.url)).subarray(0, 4000);
  const whole = await Replay.open(journal);
  const states = new Map();
  const keep = () => states.set(whole.tick, stateOf(whole));
  keep();
  whole.on("tick", keep);
  await whole.advance(whole.duration);
  let refused = 0;
  for (let at = 0; at < journal.length; at++) {
    const bytes = Uint8Array.from(journal);
    bytes[at] ^= 1 + ((at * 7919) % 255);
    try {
      const replay = await Replay.open(bytes);
      await replay.seek(whole.end);
      // Behind a chunk that is lost, the state of before stays.
      assert.deepEqual(stateOf(replay), states.get(replay.tick), `byte ${at}`);
    } catch (error) {
      assert.ok(error instanceof LogError, `byte ${at}: ${error.stack}`);
      refused++;
    }
  }
  assert.ok(refused > 1000, `${refused}`);
});

/** The files of a recording, which together have the records of `replay.mcap`. */
const rotated = ["rotated.mcap", "rotated-1.mcap", "rotated-2.mcap"].map((name) => readFileSync(new URL(name, import.meta.url)));

/** Returns a source of the files up to a number, which may grow. */
function sourceOf(files, number = 0) {
  const next = async () => (files[number + 1] ? sourceOf(files, number + 1) : undefined);
  const read = async (from, length) => files[number].subarray(from, from + length);
  return { size: files[number].length, measure: async () => files[number].length, read, next };
}

test("the files of a rotation are one recording", async () => {
  const [whole, replay] = [await Replay.open(file), await Replay.open(sourceOf(rotated))];
  assert.equal(replay.header.isWhole, true);
  assert.equal(replay.header.size, rotated.reduce((sum, { length }) => sum + length, 0));
  assert.deepEqual([replay.start, replay.end], [whole.start, whole.end]);
  assert.deepEqual(replay.markers, whole.markers);
  assert.deepEqual(replay.keyframes, whole.keyframes);
  for (const [micros, tick, state] of states) {
    await replay.seek(micros / 1e6);
    assert.equal(replay.tick, tick);
    assert.deepEqual(stateOf(replay), expected(structuredClone(state)), `${micros} µs`);
  }
});

test("play and steps over the end of a file tell each change once", async () => {
  const told = async (replay) => {
    const events = [];
    replay.on("change", ({ object, behaviour, field, value }) => events.push([replay.tick, object.id, behaviour.name, field, plain(value)]));
    for (const name of ["spawn", "despawn"]) replay.on(name, ({ id }) => events.push([replay.tick, name, id]));
    await replay.advance(replay.duration / 2);
    while (await replay.step(1));
    return events;
  };
  const events = await told(await Replay.open(sourceOf(rotated)));
  assert.ok(events.length > 1000);
  assert.deepEqual(events, await told(await Replay.open(file)));
  const replay = await Replay.open(sourceOf(rotated));
  await replay.seek(replay.end);
  let steps = 0;
  while (await replay.step(-1)) steps++;
  assert.equal(replay.position, replay.start);
  assert.ok(steps > 300, `${steps}`);
});

test("a page that follows goes on from file to file", async () => {
  const whole = await Replay.open(file);
  const files = [rotated[0].subarray(0, 9000)];
  const replay = await Replay.open(sourceOf(files));
  const seen = [];
  let grown = 0;
  replay.on("grown", () => grown++);
  const look = async () => {
    seen.push([replay.end, replay.header.isWhole]);
    await replay.seek(replay.end);
    await whole.seek(replay.end);
    assert.deepEqual(stateOf(replay), stateOf(whole), `${replay.end}`);
  };
  await look();
  const cut = (number, length) => (files[number] = rotated[number].subarray(0, length));
  const changes = [() => cut(0), () => cut(1, 0), () => cut(1, 200), () => cut(1, 9000), () => cut(1), () => (files[2] = rotated[1]), () => cut(2, 9000), () => cut(2)];
  const news = [];
  for (const change of changes) {
    change();
    news.push(await replay.refresh());
    await look();
  }
  assert.deepEqual(news, [true, false, false, true, true, false, true, true]);
  assert.equal(grown, 5);
  assert.deepEqual(seen.map(([, isWhole]) => isWhole), [...Array(8).fill(false), true]);
  assert.deepEqual([replay.end, replay.markers], [whole.end, whole.markers]);
  assert.equal(await replay.refresh(), false);
});

test("damage in a further file names the file", async () => {
  const bytes = Uint8Array.from(rotated[1]);
  bytes[2000] ^= 1;
  const replay = await Replay.open(sourceOf([rotated[0], bytes, rotated[2]]));
  const whole = await Replay.open(file);
  let refused = 0;
  for (const [micros] of states) {
    try {
      await replay.seek(micros / 1e6);
      await whole.seek(micros / 1e6);
      assert.deepEqual(stateOf(replay), stateOf(whole));
    } catch (error) {
      assert.ok(error instanceof LogError, error.stack);
      assert.match(error.message, /^file 1 of the recording: damaged log file at byte/);
      refused++;
    }
  }
  assert.ok(refused > 0 && refused < 150, `${refused}`);
});

test("a web space has the files of a recording by their numbers", async (context) => {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    const found = /^\/a\.b\/match(?:-([12]))?\.mcap\?key=1\.2$/.exec(request.url);
    if (!found) return response.writeHead(404).end();
    const bytes = rotated[Number(found[1] ?? 0)];
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range);
    const part = bytes.subarray(Number(from), Math.min(Number(to) + 1, bytes.length));
    response.writeHead(206, { "content-range": `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}` }).end(part);
  });
  context.after(() => server.close());
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${server.address().port}/a.b/match.mcap?key=1.2`;
  const replay = await Replay.open(url);
  const whole = await Replay.open(file);
  assert.deepEqual([replay.end, replay.header.isWhole], [whole.end, true]);
  await replay.seek(replay.end);
  await whole.seek(replay.end);
  assert.deepEqual(stateOf(replay), stateOf(whole));
  assert.deepEqual([...new Set(asked)].sort(), ["/a.b/match-1.mcap?key=1.2", "/a.b/match-2.mcap?key=1.2", "/a.b/match.mcap?key=1.2"]);
});
