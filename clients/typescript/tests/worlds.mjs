// Random worlds: the page beside a process in Rust, which has the server and a client in Rust with the same packets. The protocol of
// the two is described in `testing/src/pages.rs`. It runs in node and in browsers; the time is its own.

import { FakeSocket, FakeTransport, bytes, hex } from "./sockets.mjs";

/** Longest time of a call that waits for the state of its tick, in milliseconds. */
const LONGEST_WAIT = 1000;

/** Call by datagrams: its place among the others is open. */
const LOSSY = "Aerial.crackle";

/** Timers and the time of a page. */
class Clock {
  now = 1000;
  timers = new Map();
  last = 0;

  install() {
    const set = (isRepeated) => (run, ms = 0) => {
      this.timers.set(++this.last, { run, at: this.now + ms, every: isRepeated ? Math.max(ms, 1) : 0 });
      return this.last;
    };
    const clear = (id) => void this.timers.delete(id);
    Object.assign(globalThis, { setTimeout: set(false), setInterval: set(true), clearTimeout: clear, clearInterval: clear });
    performance.now = () => this.now;
  }

  /** Lets time pass, timer after timer. */
  async pass(ms) {
    const end = this.now + ms;
    for (;;) {
      const [id, timer] = [...this.timers].filter(([, it]) => it.at <= end).sort(([, a], [, b]) => a.at - b.at)[0] ?? [];
      if (!timer) break;
      this.now = Math.max(this.now, timer.at);
      if (timer.every) timer.at += timer.every;
      else this.timers.delete(id);
      timer.run();
      await settled();
    }
    this.now = end;
    await settled();
  }
}

const { port1, port2 } = new MessageChannel();
const waiting = [];
port1.onmessage = () => waiting.shift()();
// It does not keep node running.
port1.unref?.();

/** Lets the promises that are due settle. */
function settled() {
  return new Promise((done) => {
    waiting.push(done);
    port2.postMessage(0);
  });
}

/** Returns a value as `json.rs` does. */
export function shown(value) {
  if (value === undefined) return { $undefined: true };
  if (typeof value === "bigint") return { $big: String(value) };
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) return { $float: Object.is(value, -0) ? "-0" : String(value) };
  if (value instanceof Uint8Array) return { $bytes: hex(value) };
  if (value instanceof Map) return { $map: [...value].map(shown) };
  if (value instanceof Set) return { $set: [...value].map(shown) };
  if (Array.isArray(value)) return value.map(shown);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shown(member)]));
}

/** Returns the value that is shown so. */
function hidden(json) {
  if (Array.isArray(json)) return json.map(hidden);
  if (json === null || typeof json !== "object") return json;
  const [name] = Object.keys(json);
  switch (name) {
    case "$big":
      return BigInt(json.$big);
    case "$float":
      return Number(json.$float);
    case "$bytes":
      return bytes(json.$bytes);
    case "$map":
      return new Map(json.$map.map(hidden));
    case "$set":
      return new Set(json.$set.map(hidden));
  }
  return Object.fromEntries(Object.entries(json).map(([key, member]) => [key, hidden(member)]));
}

/** Text of a shown value, with its members, keys and elements in one order. */
function text(json) {
  if (Array.isArray(json)) return `[${json.map(text)}]`;
  if (json === null || typeof json !== "object") return JSON.stringify(json);
  const unordered = json.$map ?? json.$set;
  if (unordered) return `${Object.keys(json)}${unordered.map(text).sort()}`;
  return `{${Object.keys(json).sort().map((name) => `${name}:${text(json[name])}`)}}`;
}

/** Names the first difference of two shown values. */
function difference(own, other, place = "") {
  if (text(own) === text(other)) return undefined;
  const isPlain = (json) => json === null || typeof json !== "object" || Object.keys(json).some((name) => name.startsWith("$"));
  if (isPlain(own) || isPlain(other)) return `${place} is ${JSON.stringify(own)}, not ${JSON.stringify(other)}`;
  for (const name of new Set([...Object.keys(own), ...Object.keys(other)])) {
    const found = difference(own[name] ?? null, other[name] ?? null, `${place}.${name}`);
    if (found) return found;
  }
  return `${place} has another order`;
}

/** Returns the objects of a client, as `expected.rs` does. */
function objects(client) {
  const all = [...client.objects.values()].sort((a, b) => a.id - b.id);
  return all.map(({ id, prefab, owned, parent, behaviours }) => ({
    id,
    prefab: prefab.name,
    owned,
    parent,
    behaviours: behaviours.map(({ name, layout, fields }) => ({ name, fields: Object.fromEntries(layout.names.map((it) => [it, shown(fields[it])])) })),
  }));
}

/** Page of a world. */
class Page {
  heard = [];
  /** Calls by datagrams. */
  heardLossy = [];
  /** Calls that wait for the state of their tick: their place among the others is open. */
  heardLate = [];
  /** Objects that have left. A call that waits leaves with its object. */
  gone = new Set();
  link;
  /** Whether the page has not done the last act: it did not know the object. */
  passed = false;

  constructor(Client, { transport, now }) {
    this.start = performance.now() - now;
    FakeSocket.last = FakeTransport.last = undefined;
    this.isSocket = transport === "websocket";
    this.client = new Client("http://test.invalid", { transport });
    this.client.on("message", (...values) => this.heard.push(["message", ...values.map(shown)]));
    this.client.on("unreadable", (id, reason) => this.fail(`object ${id} is unreadable: ${reason}`));
    this.client.on("ready", () => this.listen());
    this.client.on("despawn", ({ id }) => this.gone.add(id));
    this.client.on("state", (state, reason) => {
      if (reason && reason !== "cut" && !this.isCut) this.fail(`${state}: ${reason}`);
    });
  }

  fail(text) {
    this.failure ??= text;
  }

  /** Listens to the calls, once their names are known. */
  listen() {
    if (this.isListening) return;
    this.isListening = true;
    for (const { behaviours } of this.client.schema.prefabs) {
      for (const { name, calls } of behaviours) {
        for (const call of calls) {
          if (call.kind === "command") continue;
          const event = `${name}.${call.name}`;
          this.client.on(event, (behaviour, ...values) => {
            if (!call.afterState) return (event === LOSSY ? this.heardLossy : this.heard).push([event, ...values.map(shown)]);
            this.heardLate.push([behaviour.object.id, event, ...values.map(shown)]);
            this.checkState(behaviour.object, ...values);
          });
        }
      }
    }
  }

  /** Checks that a call follows the state of its tick, unless that has not come for a second. */
  checkState(object, beat, at) {
    const own = object.get("Aerial").fields.beat;
    if (own < beat && performance.now() < this.start + at + LONGEST_WAIT) this.fail(`a call after beat ${beat} of object ${object.id} at beat ${own}`);
  }

  /** Takes the packets that the page has sent, and a link that it has opened. */
  take() {
    const last = this.isSocket ? FakeSocket.last : FakeTransport.last;
    const opened = last !== undefined && last !== this.link;
    if (opened) [this.link, this.isCut] = [last, false];
    const { link, passed } = this;
    this.passed = false;
    if (!link || this.isCut) return { opened, passed, up: [] };
    if (this.isSocket) return { opened, passed, up: link.sent.splice(0).map((packet) => [0, packet[0], hex(packet.subarray(1))]) };
    const stream = link.frames.splice(0).map((frame) => [0, frame[4], hex(frame.subarray(5))]);
    return { opened, passed, up: [...stream, ...link.sent.splice(0).map((packet) => [1, packet[0], hex(packet.subarray(1))])] };
  }

  async deliver(packets) {
    for (const [isDatagram, channel, packet] of packets) {
      const received = bytes(packet);
      if (this.isSocket) this.link.receive(channel, received);
      else if (isDatagram) this.link.incoming.enqueue(Uint8Array.of(channel, ...received));
      else this.link.receive([[channel, received]]);
      await settled();
    }
  }

  cut() {
    this.isCut = true;
    if (this.isSocket) this.link.close();
    else this.link.stream.close();
  }

  act({ set, call, send }) {
    // The packets that give it the object may wait for the rest of their tick.
    const [id, name, member, value] = set ?? call ?? [];
    const object = this.client.objects.get(id);
    const behaviour = object?.permit ? object.get(name) : undefined;
    this.passed = !send && !set && !behaviour;
    try {
      if (send) this.client.send(send[0], hidden(send[1]));
      else if (set) behaviour?.set(member, hidden(value));
      else behaviour?.call(member, ...value.map(hidden));
    } catch (error) {
      this.fail(`${JSON.stringify({ set, call, send })}: ${error}`);
    }
  }

  check({ objects: expected, heard, lossy, late }) {
    const ofPresent = (calls) => ({ $set: calls.filter(([id]) => !this.gone.has(id)) });
    const own = {
      objects: objects(this.client),
      heard: this.heard.splice(0),
      lossy: { $set: this.heardLossy.splice(0) },
      late: ofPresent(this.heardLate.splice(0)),
    };
    const found = difference(own, { objects: expected, heard, lossy: { $set: lossy }, late: ofPresent(late) });
    if (found) this.fail(found);
    this.gone.clear();
  }
}

/** Plays a world. `exchange` sends a value to the process in Rust, and returns its answer. Throws with the first difference. */
export async function play(Client, seed, exchange) {
  const clock = new Clock();
  clock.install();
  Object.assign(globalThis, { WebSocket: FakeSocket, WebTransport: FakeTransport, fetch: async () => ({ json: async () => [] }) });
  let answer = await exchange({ world: seed });
  if (answer.fails) throw new Error(answer.fails);
  const page = new Page(Client, answer);
  let steps = 0;
  try {
    for (; !answer.ends; steps++) {
      await clock.pass(answer.ms);
      answer = await exchange(page.take());
      if (answer.fails) page.fail(answer.fails);
      await page.deliver(answer.down ?? []);
      if (answer.cut) page.cut();
      for (const act of answer.acts ?? []) page.act(act);
      if (answer.check) page.check(answer.check);
      if (page.failure) throw new Error(`step ${steps}: ${page.failure}`);
    }
    return steps;
  } finally {
    page.client.close();
  }
}
