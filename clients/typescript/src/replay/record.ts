// Tick records: WIRE.md, section 9.

import { type Reader as ByteReader, Reader, WireError } from "../wire.js";
import { crc32c } from "./crc.js";

/** Version of the layout. */
const VERSION = 2;

const PARTIAL = 1;
const KEYFRAME = 2;

/** Audiences of an item: all observers, and the server alone. */
const ALL = 0;
const SERVER = 3;
const UNRELIABLE = 4;

/** Facts that a keyframe names once for the records behind it. */
export interface Origin {
  hash: Uint8Array;
  incarnation: string;
  /** CRC-32C of the facts. */
  checksum: number;
}

/** Shared messages on a channel. */
export interface Item {
  channel: number;
  messages: Uint8Array;
}

/** Tick record. */
export interface TickRecord {
  isPartial: boolean;
  /** Origin of a keyframe. */
  origin: Origin | undefined;
  /** Checksum of the origin. */
  checksum: number;
  seq: number;
  /** Tick of the network time. */
  tick: number;
  /** Time of the server, in microseconds. */
  time: number;
  items: Item[];
}

/** Head of a record. */
type Head = Omit<TickRecord, "items">;

/** Reads and checks a record. Throws a `WireError`. */
export function readRecord(bytes: Uint8Array): TickRecord {
  const reader = new Reader(bytes);
  if (reader.u32() !== crc32c(bytes.subarray(4))) throw new WireError("wrong checksum");
  return { ...readHead(reader), items: itemsOf(reader) };
}

/** Returns the items of a record that is not checked. Throws a `WireError`. */
export function readItems(bytes: Uint8Array): Item[] {
  const reader = new Reader(bytes);
  reader.take(4);
  readHead(reader);
  return itemsOf(reader);
}

function itemsOf(reader: ByteReader): Item[] {
  const items: Item[] = [];
  while (reader.left) {
    const form = reader.u8();
    const audience = form & 3;
    if (form > (UNRELIABLE | SERVER) || (audience !== ALL && audience !== SERVER)) throw new WireError(`an item of the form ${form}`);
    const channel = reader.u8();
    const messages = reader.take(reader.varint());
    if (!messages.length) throw new WireError("an item without messages");
    // Facts for the server alone are no messages.
    if (audience === ALL) items.push({ channel, messages });
  }
  return items;
}

/** Returns the tick of a record that is not checked. */
export function tickOf(bytes: Uint8Array): number {
  const reader = new Reader(bytes);
  reader.take(4);
  return readHead(reader).tick;
}

function readHead(reader: ByteReader): Head {
  const flags = reader.u8();
  if (flags >> 4 !== VERSION) throw new WireError(`a record of the version ${flags >> 4}`);
  if (flags & 15 & ~(PARTIAL | KEYFRAME)) throw new WireError(`a record with the flags ${flags & 15}`);
  const origin = flags & KEYFRAME ? readOrigin(reader) : undefined;
  const checksum = origin?.checksum ?? reader.u32();
  const [seq, tick, time] = [reader.long(), reader.long(), reader.long()];
  if (!seq) throw new WireError("a record with the number 0");
  return { isPartial: (flags & PARTIAL) !== 0, origin, checksum, seq, tick, time };
}

function readOrigin(reader: ByteReader): Origin {
  const facts = new Uint8Array(24);
  facts.set(reader.take(16));
  const low = reader.halves();
  const view = new DataView(facts.buffer);
  view.setUint32(16, low, true);
  view.setUint32(20, reader.high, true);
  return { hash: facts.subarray(0, 8), incarnation: String(facts.subarray(8, 16)), checksum: crc32c(facts) };
}
