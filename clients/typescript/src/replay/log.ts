// `Log`: a log file with its header, index and chunks. WIRE.md, section 10.

import { readSchema, type Schema } from "../schema.js";
import { WireError } from "../wire.js";
import type { LogHeader, Marker } from "./facts.js";
import { type Chunk, type ChunkPlace, Damage, extendIndex, type Message, readChunk, readIndex, type Index } from "./mcap.js";
import { LogError, type Source } from "./source.js";
import { BlockSource } from "./sources.js";

/** Version of the format. */
const VERSION = "1";

const MARKERS = "/syncvar/markers";

/** Most decompressed bytes of chunks that are kept. */
const MAX_KEPT = 64 * 1024 * 1024;

/** Most bytes of chunks that are read at a time. */
const MAX_SPAN = 8 * 1024 * 1024;

/** Numbers of the channels of records. */
interface Channels {
  keyframes: number;
  records: number;
}

/** Log file. */
export class Log {
  /** Decoded chunks by their numbers, the last used one last. */
  private readonly kept = new Map<number, Promise<Chunk>>();
  private readonly sizes = new Map<number, number>();
  private readonly markerChannels = new Set<number>();

  private constructor(
    private readonly source: BlockSource,
    private readonly index: Index,
    readonly header: LogHeader,
    private readonly channels: Channels,
  ) {}

  static async open(source: Source): Promise<Log> {
    const blocks = new BlockSource(source);
    const index = await readIndex(blocks);
    const facts = index.metadata.get("syncvar");
    if (!facts) throw new LogError("not a log file: its metadata is missing");
    if (facts.get("version") !== VERSION) throw new LogError(`version ${JSON.stringify(facts.get("version"))} of the log file is unknown`);
    if (!index.chunks.length) throw new LogError("not a log file: it has no whole chunk");
    const chunk = await readChunk(blocks, index.chunks[0]);
    const text = chunk.schemas.find(({ name, encoding }) => name === "syncvar" && encoding === "syncvar")?.data;
    if (!text) throw new LogError("not a log file: its schema is missing");
    const kind = chunk.channels.some(({ topic }) => topic === "/syncvar/keyframes") ? "recording" : "journal";
    const header: LogHeader = {
      kind,
      schema: schemaOf(text),
      tickRate: number(facts, "tick_rate"),
      wallClock: number(facts, "wall_clock") / 1e6,
      program: index.metadata.get("program") ?? new Map(),
      isWhole: index.isWhole,
      size: source.size,
    };
    const log = new Log(blocks, index, header, channelsOf(chunk, kind === "journal" ? "/syncvar/journal" : "/syncvar"));
    if (!index.isWhole) await log.completeChannels();
    if (!index.chunks.some((_, at) => log.hasKeyframe(at))) throw new LogError("not a log file: it has no whole keyframe");
    return log;
  }

  /** Finds chunks that were written since the file was opened, and its end. Returns whether there were any. */
  async refresh(): Promise<boolean> {
    const { header, index, source } = this;
    if (header.isWhole || !(await source.grow()) || source.size === header.size) return false;
    const count = this.chunks.length;
    await extendIndex(source, index);
    [header.isWhole, header.size] = [index.isWhole, source.size];
    if (!index.isWhole) await this.completeChannels();
    return header.isWhole || this.chunks.length > count;
  }

  /** Reads the channels of the last chunk of a cut file, whose index may be cut. A chunk that is not readable counts as cut. */
  private async completeChannels(): Promise<void> {
    const { chunks } = this.index;
    try {
      const { messages } = await this.chunk(chunks.length - 1);
      chunks[chunks.length - 1].channels = new Set(messages.map(({ channel }) => channel));
    } catch (error) {
      if (!(error instanceof Damage)) throw error;
      chunks.pop();
    }
  }

  get chunks(): readonly ChunkPlace[] {
    return this.index.chunks;
  }

  /** Returns whether a chunk begins with a keyframe. */
  hasKeyframe(at: number): boolean {
    return this.chunks[at]?.channels?.has(this.channels.keyframes) ?? false;
  }

  /** Checks that a chunk begins with a keyframe: the index of a cut file has no checksum. */
  async checkKeyframe(at: number): Promise<void> {
    const { messages } = await this.chunk(at);
    if (!messages.length || this.kindOf(messages[0]) !== "keyframe") throw new Damage(`damaged log file at byte ${this.chunks[at].offset}: the chunk lacks its keyframe`);
  }

  /** Returns the kind of a message, if it is a record. */
  kindOf({ channel }: Message): "keyframe" | "record" | undefined {
    return channel === this.channels.keyframes ? "keyframe" : channel === this.channels.records ? "record" : undefined;
  }

  /** Reads the bytes of the chunks of a range that are not kept at a time: each request of a web space takes as long as the work on a chunk. */
  async load(first: number, last: number): Promise<void> {
    const { kept, chunks } = this;
    while (first <= last && kept.has(first)) first++;
    const { offset } = chunks[first] ?? {};
    if (offset === undefined) return;
    const endOf = ({ offset, length }: ChunkPlace): number => offset + length;
    while (last > first && (kept.has(last) || endOf(chunks[last]) - offset > MAX_SPAN)) last--;
    if (last <= first) return;
    const bytes = await this.source.read(offset, endOf(chunks[last]) - offset);
    const part: Source = { size: bytes.length, read: async (from, length) => bytes.subarray(from - offset, from - offset + length) };
    for (let at = first; at <= last; at++) {
      if (!kept.has(at)) await this.chunk(at, part);
    }
  }

  /** Reads a chunk, unless it is kept. */
  async chunk(at: number, source: Source = this.source): Promise<Chunk> {
    const { kept, sizes } = this;
    const reading = kept.get(at) ?? readChunk(source, this.chunks[at]);
    kept.delete(at);
    kept.set(at, reading);
    try {
      const chunk = await reading;
      sizes.set(at, chunk.size);
      let size = [...kept.keys()].reduce((sum, it) => sum + (sizes.get(it) ?? 0), 0);
      for (const it of kept.keys()) {
        if (size <= MAX_KEPT || it === at) break;
        size -= sizes.get(it) ?? 0;
        kept.delete(it);
      }
      return chunk;
    } catch (error) {
      // A failed request may succeed later.
      kept.delete(at);
      throw error;
    }
  }

  /** Reads the markers of the chunks from a number on. */
  async markers(first: number): Promise<Marker[]> {
    const markers: Marker[] = [];
    const own = [this.channels.keyframes, this.channels.records];
    for (let at = first; at < this.chunks.length; at++) {
      const { channels, offset } = this.chunks[at];
      if (![...(channels ?? [])].some((it) => !own.includes(it))) continue;
      const chunk = await this.chunk(at);
      for (const { id, topic } of chunk.channels) if (topic === MARKERS) this.markerChannels.add(id);
      for (const { channel, time, data } of chunk.messages) if (this.markerChannels.has(channel)) markers.push(markerOf(data, time / 1e6, offset));
    }
    return markers;
  }
}

function number(facts: Map<string, string>, key: string): number {
  const text = facts.get(key) ?? "";
  if (!/^\d{1,20}$/.test(text)) throw new LogError(`not a log file: ${key} is ${JSON.stringify(text)} in its metadata`);
  return Number(text);
}

function schemaOf(text: Uint8Array): Schema {
  try {
    return readSchema(text);
  } catch (error) {
    throw new LogError(`schema of the log file: ${error instanceof Error ? error.message : error}`);
  }
}

function channelsOf({ channels }: Chunk, prefix: string): Channels {
  const find = (topic: string): number | undefined => channels.find((it) => it.topic === prefix + topic)?.id;
  const [keyframes, records] = [find("/keyframes"), find("/records")];
  if (keyframes === undefined) throw new LogError("not a log file: its channels are missing");
  return { keyframes, records: records ?? -1 };
}

function markerOf(data: Uint8Array, time: number, offset: number): Marker {
  try {
    const { name, tick, value } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data));
    if (typeof name !== "string" || !Number.isInteger(tick)) throw new WireError("no name or tick");
    return { name, tick, time, value };
  } catch {
    throw new LogError(`damaged log file at byte ${offset}: malformed marker`);
  }
}
