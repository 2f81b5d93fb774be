// The container MCAP: the places of chunks, and their contents. WIRE.md, section 10.

import { decompress } from "fzstd";
import { Reader, WireError } from "../wire.js";
import { crc32 } from "./crc.js";
import { LogError, type Source } from "./source.js";
import type { BlockSource } from "./sources.js";

/** Codes of the records of MCAP that a log file has. */
const enum Code {
  Header = 1,
  Footer = 2,
  Schema = 3,
  Channel = 4,
  Message = 5,
  Chunk = 6,
  MessageIndex = 7,
  ChunkIndex = 8,
  Metadata = 12,
  MetadataIndex = 13,
}

/** Bytes at the begin and at the end of each file. */
const MAGIC = [0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a];

/** Length of the code and the length of a record. */
const HEAD = 9;

/** Length of the footer, and of the bytes behind it. */
const FOOTER = HEAD + 20;

/** Most bytes of a record outside of chunks, and of the summary. */
const MAX_RECORD = 1024 * 1024;
const MAX_SUMMARY = 64 * 1024 * 1024;

/** Most bytes of a decompressed chunk. */
const MAX_CHUNK = 256 * 1024 * 1024;

/** Name of the metadata at the end of a file that a further file continues. */
const CONTINUED = "continued";

/** Place of a chunk. Times are those of its first and its last message, in microseconds. */
export interface ChunkPlace {
  source: BlockSource;
  offset: number;
  length: number;
  start: number;
  end: number;
  /** Channels of its messages; `undefined` if the file is cut before their index. */
  channels: Set<number> | undefined;
}

/** Facts about a file before its chunks are read. */
export interface Index {
  metadata: Map<string, Map<string, string>>;
  chunks: ChunkPlace[];
  /** Position behind the last record that was found. */
  end: number;
  /** Whether the file has its end: it is not cut. */
  isWhole: boolean;
  /** Whether a further file continues the recording. */
  isContinued: boolean;
}

/** Message of a chunk. */
export interface Message {
  channel: number;
  sequence: number;
  /** Microseconds. */
  time: number;
  data: Uint8Array;
}

/** Contents of a chunk. */
export interface Chunk {
  schemas: { name: string; encoding: string; data: Uint8Array }[];
  channels: { id: number; topic: string; encoding: string }[];
  messages: Message[];
  /** Decompressed bytes. */
  size: number;
}

/** Record outside of chunks. */
interface Place {
  code: number;
  offset: number;
  length: number;
}

/** Damage of a place of the file. */
export class Damage extends LogError {}

function damaged(offset: number, reason: string): Damage {
  return new Damage(`damaged log file at byte ${offset}: ${reason}`);
}

/** Runs a read, whose errors are those of a place of the file. */
export function within<T>(offset: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof WireError ? damaged(offset, error.message) : error;
  }
}

/** Reads a length or a place, which is within the file or wrong. */
function u64(reader: Reader): number {
  const low = reader.u32();
  return reader.u32() * 2 ** 32 + low;
}

/** Reads nanoseconds. Returns microseconds. */
function time(reader: Reader): number {
  const low = reader.u32();
  return Math.round((reader.u32() * 2 ** 32) / 1000 + low / 1000);
}

const text = (reader: Reader): string => reader.text(reader.u32());

function pairs(reader: Reader): Map<string, string> {
  const found = new Map<string, string>();
  const end = reader.enter(reader.u32());
  while (reader.left) found.set(text(reader), text(reader));
  reader.leave(end);
  return found;
}

/** Reads the begin of a file up to the first chunk, then the summary, or else the head of each chunk. */
export async function readIndex(source: BlockSource): Promise<Index> {
  const isMagic = (bytes: Uint8Array): boolean => MAGIC.every((it, at) => bytes[at] === it);
  if (source.size < MAGIC.length || !isMagic(await source.read(0, MAGIC.length))) throw new LogError("not a log file: it is no MCAP file");
  const head = await placeAt(source, MAGIC.length);
  if (head?.code !== Code.Header) throw new LogError("not a log file: it is cut before its header");
  const reader = await content(source, head);
  const profile = within(head.offset, () => text(reader));
  if (profile !== "syncvar") throw new LogError(`not a log file: its profile is ${JSON.stringify(profile)}`);
  const index: Index = { metadata: new Map(), chunks: [], end: head.offset + head.length, isWhole: false, isContinued: false };
  await scan(source, index, true);
  const summary = await readSummary(source);
  if (summary) Object.assign(index, summary, { isWhole: true });
  else await scan(source, index, false);
  checkOrder(index);
  return index;
}

/** Reads the chunks that were written since the index was read, and the end of the file. */
export async function extendIndex(source: BlockSource, index: Index): Promise<void> {
  await scan(source, index, false);
  const summary = await readSummary(source);
  if (summary) [index.isWhole, index.isContinued] = [true, summary.isContinued];
  checkOrder(index);
}

function checkOrder({ chunks }: Index): void {
  let last = 0;
  for (const { start, end, offset } of chunks) {
    if (start > end || start < last) throw damaged(offset, "times of the chunks descend");
    last = end;
  }
}

async function placeAt(source: BlockSource, at: number): Promise<Place | undefined> {
  if (at + HEAD > source.size) return undefined;
  const reader = new Reader(await source.read(at, HEAD));
  const place = { code: reader.u8(), offset: at + HEAD, length: u64(reader) };
  return place.offset + place.length <= source.size ? place : undefined;
}

async function content(source: BlockSource, { offset, length }: Place): Promise<Reader> {
  if (length > MAX_RECORD) throw damaged(offset, `${length} bytes exceed the limit of ${MAX_RECORD}`);
  return new Reader(await source.read(offset, length));
}

/** Reads on behind the last record that was found, up to the end of the file, its cut, or the first chunk. */
async function scan(source: BlockSource, index: Index, toFirstChunk: boolean): Promise<void> {
  for (let place = await placeAt(source, index.end); place; place = await placeAt(source, index.end)) {
    const { code, offset, length } = place;
    if (code === Code.Chunk) {
      if (toFirstChunk) return;
      const reader = new Reader(await source.read(offset, Math.min(length, 16)));
      const [start, end] = within(offset, () => [time(reader), time(reader)]);
      index.chunks.push({ source, offset, length, start, end, channels: undefined });
    } else if (code === Code.MessageIndex) {
      const chunk = index.chunks.at(-1);
      if (!chunk || length < 6) throw damaged(offset, "malformed index");
      chunk.channels = (chunk.channels ?? new Set()).add(new Reader(await source.read(offset, 6)).u16());
    } else if (code === Code.Metadata) {
      const reader = await content(source, place);
      const [name, metadata] = within(offset, () => [text(reader), pairs(reader)] as const);
      if (!index.metadata.has(name)) index.metadata.set(name, metadata);
    } else return;
    index.end = offset + length;
  }
}

/** Reads the summary. Returns `undefined` for a file without its end, or with a damaged one. */
async function readSummary(source: BlockSource): Promise<Summary | undefined> {
  const at = source.size - FOOTER - MAGIC.length;
  if (at < 0) return undefined;
  const end = await source.read(at, FOOTER + MAGIC.length);
  const reader = new Reader(end);
  if (!MAGIC.every((it, index) => end[FOOTER + index] === it) || reader.u8() !== Code.Footer || u64(reader) !== 20) return undefined;
  const [start] = [u64(reader), u64(reader)];
  const crc = reader.u32();
  const length = at - start;
  if (length < 1 || length > MAX_SUMMARY) return undefined;
  const summary = await source.read(start, length);
  if (crc32(end.subarray(0, FOOTER - 4), crc32(summary)) !== crc) return undefined;
  return summaryOf(new Reader(summary), source);
}

/** Facts of a summary. */
type Summary = Pick<Index, "chunks" | "isContinued">;

/** Reads the facts of a summary; `undefined` if a record is malformed or outside of the file. */
function summaryOf(reader: Reader, source: BlockSource): Summary | undefined {
  const { size } = source;
  const chunks: ChunkPlace[] = [];
  let isContinued = false;
  try {
    while (reader.left) {
      const code = reader.u8();
      const end = reader.enter(u64(reader));
      if (code === Code.ChunkIndex) {
        const [from, to, offset, length] = [time(reader), time(reader), u64(reader), u64(reader)];
        const indexes = reader.enter(reader.u32());
        const channels = new Set<number>();
        for (; reader.left; u64(reader)) channels.add(reader.u16());
        reader.leave(indexes);
        if (length < HEAD || offset + length > size) return undefined;
        chunks.push({ source, offset: offset + HEAD, length: length - HEAD, start: from, end: to, channels });
      } else if (code === Code.MetadataIndex) {
        reader.take(16);
        isContinued ||= text(reader) === CONTINUED;
      }
      reader.leave(end);
    }
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
  return { chunks, isContinued };
}

/** Reads and checks a chunk. */
export async function readChunk(source: Source, place: ChunkPlace): Promise<Chunk> {
  const { offset } = place;
  if (place.length > MAX_CHUNK) throw damaged(offset, `a chunk of ${place.length} bytes exceeds the limit of ${MAX_CHUNK}`);
  const reader = new Reader(await source.read(offset, place.length));
  return within(offset, () => {
    const [start, end, size, crc, compression] = [time(reader), time(reader), u64(reader), reader.u32(), text(reader)];
    if (start !== place.start || end !== place.end) throw damaged(offset, "times of the chunk and of its index differ");
    if (size > MAX_CHUNK) throw damaged(offset, `a chunk of ${size} bytes exceeds the limit of ${MAX_CHUNK}`);
    const length = u64(reader);
    const packed = reader.take(length);
    reader.finish("the chunk");
    const bytes = decompressed(packed, size, compression, offset);
    if (crc && crc32(bytes) !== crc) throw damaged(offset, "wrong checksum of a chunk");
    return contents(new Reader(bytes), place);
  });
}

function decompressed(packed: Uint8Array, size: number, compression: string, offset: number): Uint8Array {
  // The bytes of a file of the user stay as they are.
  let bytes = compression ? packed : packed.slice();
  if (compression === "zstd") {
    try {
      // A buffer of the told size bounds the memory. fzstd compares it with a number, for which its bytes would become a text.
      bytes = decompress(packed, Object.defineProperty(new Uint8Array(size), Symbol.toPrimitive, { value: () => NaN }));
    } catch (error) {
      throw damaged(offset, `malformed zstd: ${error instanceof Error ? error.message : error}`);
    }
  } else if (compression) throw damaged(offset, `unknown compression ${JSON.stringify(compression)}`);
  if (bytes.length !== size) throw damaged(offset, `a chunk of ${bytes.length} bytes in place of ${size}`);
  return bytes;
}

function contents(reader: Reader, { start, end, offset }: ChunkPlace): Chunk {
  const chunk: Chunk = { schemas: [], channels: [], messages: [], size: reader.bytes.length };
  while (reader.left) {
    const code = reader.u8();
    const outer = reader.enter(u64(reader));
    if (code === Code.Message) {
      const message = { channel: reader.u16(), sequence: reader.u32(), time: time(reader), data: reader.bytes };
      reader.take(8);
      message.data = reader.rest();
      if (message.time < (chunk.messages.at(-1)?.time ?? start) || message.time > end) throw damaged(offset, "times of the messages do not fit the chunk");
      chunk.messages.push(message);
    } else if (code === Code.Schema) {
      reader.take(2);
      chunk.schemas.push({ name: text(reader), encoding: text(reader), data: reader.take(reader.u32()) });
    } else if (code === Code.Channel) {
      const id = reader.u16();
      reader.take(2);
      chunk.channels.push({ id, topic: text(reader), encoding: text(reader) });
    }
    reader.leave(outer);
  }
  return chunk;
}
