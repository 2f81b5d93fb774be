// Messages of a server, and values as in `vectors.json`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { bytes, FakeSocket, FakeTransport, hex } from "./sockets.mjs";

export const vectors = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url), "utf8"));

export { bytes, FakeSocket, FakeTransport, hex };

const u16 = (value) => [value & 255, value >> 8];

/** Returns a message of a server. */
export const message = (kind, payload) => [...u16(payload.length), ...u16(kind), ...payload];

/** Returns a schema as a message of one part. */
export const described = (text) => message(21, [1, ...Buffer.from(text)]);

/** Returns the answer of a server with 30 ticks a second, by default with a reliable and an unreliable channel. Its tick 1 is 300 of the network time. */
export const accepted = (channels = [0, 1]) => message(32, [7, ...Array(8).fill(0), 1, ...Array(8).fill(9), 241, 60, 30, 0, channels.length, ...channels]);

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

/** Returns the messages of a packet behind its header, without pings: a client sends them at random moments. */
export function withoutPings(packet) {
  return messages(packet)
    .filter(({ kind }) => kind !== 27)
    .map((message) => message.bytes);
}

/** Takes the messages that a client has sent, without pings. */
export function takeMessages(socket, hasHeaders) {
  const packets = socket.sent.splice(0).map((packet) => packet.subarray(1));
  return packets.flatMap((packet) => withoutPings(packet.subarray(hasHeaders ? headerLength(packet) : 0)));
}

function headerLength(packet) {
  assert.equal(packet[0] & ~0x13, 0, "flags of the stream");
  let length = 1;
  if (packet[0] & 1) while (packet[length++] & 128);
  if (packet[0] & 0x10) length += 5 + (packet[length + 4] & 15);
  return length;
}
