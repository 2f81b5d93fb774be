// Sockets without a network, and values as in `vectors.json`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export const vectors = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url), "utf8"));

export const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));
export const hex = (data) => Buffer.from(data).toString("hex");

/** WebSocket whose other end is the test. */
export class FakeSocket {
  static OPEN = 1;
  static last;
  readyState = 1;
  sent = [];

  constructor(url) {
    this.url = url;
    FakeSocket.last = this;
    setTimeout(() => this.onopen?.(), 0);
  }

  send(data) {
    this.sent.push(Uint8Array.from(data));
  }

  receive(channel, packet) {
    this.onmessage({ data: Uint8Array.from([channel, ...packet]).buffer });
  }

  close() {
    if (this.readyState === 1) setTimeout(() => this.onclose({ code: 1000, reason: "" }), 0);
    this.readyState = 3;
  }
}

/** WebTransport whose other end is the test. */
export class FakeTransport {
  static last;
  ready = Promise.resolve();
  frames = [];
  sent = [];

  constructor(url, options) {
    Object.assign(this, { url, options });
    FakeTransport.last = this;
    this.closed = new Promise((done) => (this.close = done));
    const sink = (into) => new WritableStream({ write: (chunk) => void into.push(Uint8Array.from(chunk)) });
    const readable = new ReadableStream({ start: (controller) => (this.stream = controller) });
    this.createBidirectionalStream = async () => ({ readable, writable: sink(this.frames) });
    const datagrams = new ReadableStream({ start: (controller) => (this.incoming = controller) });
    this.datagrams = { readable: datagrams, writable: sink(this.sent), maxDatagramSize: 1024 };
  }

  receive(packets) {
    for (const [channel, packet] of packets) this.stream.enqueue(Uint8Array.of(0, 0, (packet.length + 1) >> 8, (packet.length + 1) & 255, channel, ...packet));
  }

  /** Sends a datagram of the server. */
  datagram(sequence, tick, messages, after) {
    const low = (value) => [value & 255, (value >> 8) & 255];
    const flags = after === undefined ? 0x01 : 0x05;
    this.incoming.enqueue(Uint8Array.of(1, flags, ...low(sequence), ...low(tick), ...(after === undefined ? [] : low(after)), ...messages));
  }

  /** Takes the datagrams of the client that are no mere acknowledgements. */
  takeSent() {
    return this.sent.splice(0).filter((datagram) => datagram[1] & 1).map(hex);
  }

  /** Takes the acknowledgements of the client, alone or in packets of the stream: the newest sequence, and the mask. */
  takeAcks() {
    const alone = this.sent.splice(0).filter((datagram) => datagram[1] === 0x10).map((datagram) => datagram.subarray(2));
    const packets = this.frames.splice(0).map((frame) => frame.subarray(5));
    const others = packets.filter((packet) => packet[0] & 0x10).map((packet) => packet.subarray(packet[0] & 1 ? 2 : 1));
    return [...others, ...alone].map((ack) => ({ newest: ack[0] | (ack[1] << 8), mask: hex(ack.subarray(5, 5 + ack[4])) }));
  }
}

const u16 = (value) => [value & 255, value >> 8];

/** Returns a message of a server. */
export const message = (kind, payload) => [...u16(payload.length), ...u16(kind), ...payload];

/** Returns a schema as a message of one part. */
export const described = (text) => message(21, [1, ...Buffer.from(text)]);

/** Returns the answer of a server with 30 ticks a second, by default with a reliable and an unreliable channel. Its tick 1 is 300 of the network time. */
export const accepted = (channels = [0, 1]) => message(32, [6, ...Array(8).fill(0), 1, ...Array(8).fill(9), 241, 60, 30, 0, channels.length, ...channels]);

/** Returns a value as in the vectors. */
export function plain(value) {
  if (value === undefined) return { $undefined: true };
  if (typeof value === "bigint") return { $big: String(value) };
  if (value instanceof Uint8Array) return { $bytes: hex(value) };
  const sorted = (all) => all.map(plain).sort((a, b) => (typeof a === "number" ? a - b : JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (value instanceof Map) return { $map: sorted([...value]) };
  if (value instanceof Set) return { $set: sorted([...value]) };
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

/** Returns the messages of a packet: a list of numbers and payloads. */
export function messages(packet) {
  const found = [];
  for (let at = 0; at < packet.length; ) {
    const length = packet[at] | (packet[at + 1] << 8);
    found.push({ kind: packet[at + 2], bytes: hex(packet.subarray(at, at + 4 + length)) });
    at += 4 + length;
  }
  return found;
}

/** Takes the messages that a client has sent, without pings. */
export function takeMessages(socket, hasHeaders) {
  const packets = socket.sent.splice(0).map((packet) => packet.subarray(1));
  return packets
    .flatMap((packet) => messages(packet.subarray(hasHeaders ? headerLength(packet) : 0)))
    .filter(({ kind }) => kind !== 27)
    .map((message) => message.bytes);
}

function headerLength(packet) {
  assert.equal(packet[0] & ~0x13, 0, "flags of the stream");
  let length = 1;
  if (packet[0] & 1) while (packet[length++] & 128);
  if (packet[0] & 0x10) length += 5 + (packet[length + 4] & 15);
  return length;
}
