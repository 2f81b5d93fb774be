// `Log`: a log file with its header, index and chunks. WIRE.md, section 10.

import { readSchema, type Schema } from "../schema.js";
import { WireError } from "../wire.js";
import { type Chunk, type ChunkPlace, Damage, type Message, readChunk, readIndex, type Index } from "./mcap.js";
import { BlockSource, LogError, type Source } from "./source.js";

/** Version of the format. */
const VERSION = "1";

const MARKERS = "/syncvar/markers";

/** Most decompressed bytes of chunks that are kept. */
const MAX_KEPT = 64 * 1024 * 1024;

/** Facts about a whole log file. */
export interface LogHeader {
  /** Contents of the records: the view of an observer of all objects, or all fields of all objects. */
  kind: "recording" | "journal";
  schema: Schema;
  /** Ticks of the server per second. */
  tickRate: number;
  /** Milliseconds since 1970 at the time 0 of the server. */
  wallClock: number;
  /** Pairs of the program. */
  program: ReadonlyMap<string, string>;
  /** Whether the file has its end: it is not cut, and not being written. */
  isWhole: boolean;
  /** Length of the file in bytes. */
  size: number;
}

/** Moment with a name and a value. */
export interface Marker {
  name: string;
  tick: number;
  /** Seconds of the server. */
  time: number;
  value: any;
}

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
    return log;
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

  /** Returns the kind of a message, if it is a record. */
  kindOf({ channel }: Message): "keyframe" | "record" | undefined {
    return channel === this.channels.keyframes ? "keyframe" : channel === this.channels.records ? "record" : undefined;
  }

  /** Reads a chunk, unless it is kept. */
  async chunk(at: number): Promise<Chunk> {
    const { kept, sizes } = this;
    const reading = kept.get(at) ?? readChunk(this.source, this.chunks[at]);
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

  /** Reads all markers. */
  async markers(): Promise<Marker[]> {
    const markers: Marker[] = [];
    const known = new Set<number>();
    const own = [this.channels.keyframes, this.channels.records];
    for (const [at, { channels, offset }] of this.chunks.entries()) {
      if (![...(channels ?? [])].some((it) => !own.includes(it))) continue;
      const chunk = await this.chunk(at);
      for (const { id, topic } of chunk.channels) if (topic === MARKERS) known.add(id);
      for (const { channel, time, data } of chunk.messages) if (known.has(channel)) markers.push(markerOf(data, time / 1e6, offset));
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
