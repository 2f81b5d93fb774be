// `Log`: a log file with its header, index and chunks. WIRE.md, section 10.

import { readSchema, type Schema } from "../schema.js";
import { WireError } from "../wire.js";
import type { LogHeader, Marker } from "./facts.js";
import { type Chunk, type ChunkPlace, Damage, extendIndex, type Index, type Message, readChunk, readIndex, within } from "./mcap.js";
import { Differences } from "./differences.js";
import { LogError, type Source } from "./source.js";
import { BlockSource } from "./sources.js";

/** Version of the format. */
const VERSION = "1";

const MARKERS = "/syncvar/markers";

/** Encoding of records whose changes are differences. */
const DIFFERENCES = "syncvar.differences";

/** Most decompressed bytes of chunks that are kept. */
const MAX_KEPT = 64 * 1024 * 1024;

/** Most bytes of chunks that are read at a time. */
const MAX_SPAN = 8 * 1024 * 1024;

/** Numbers of the channels of records. */
interface Channels {
  keyframes: number;
  records: number;
  /** Whether the changes of the records are differences. */
  areDifferences: boolean;
}

/** File of a recording. */
interface Part {
  source: BlockSource;
  index: Index;
}

/** Log file, or the files of a recording one after another. */
export class Log {
  private places: ChunkPlace[] = [];
  /** Decoded chunks by their numbers, the last used one last. */
  private readonly kept = new Map<number, Promise<Chunk>>();
  private readonly sizes = new Map<number, number>();
  private readonly markerChannels = new Set<number>();

  private constructor(
    private readonly parts: Part[],
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
    const log = new Log([{ source: blocks, index }], header, channelsOf(chunk, kind === "journal" ? "/syncvar/journal" : "/syncvar"));
    await log.extend();
    if (!index.chunks.some((_, at) => log.hasKeyframe(at))) throw new LogError("not a log file: it has no whole keyframe");
    return log;
  }

  /** Finds chunks that were written since the file was opened, its end, and the files behind it. Returns whether there were any. */
  async refresh(): Promise<boolean> {
    const { header, last } = this;
    if (header.isWhole) return false;
    const [count, size] = [this.chunks.length, last.source.size];
    if (!last.index.isWhole && (await last.source.grow()) && last.source.size !== size) await extendIndex(last.source, last.index);
    await this.extend();
    return header.isWhole || this.chunks.length > count;
  }

  /** Adds the files behind the last one, as far as they exist. */
  private async extend(): Promise<void> {
    const { header, parts } = this;
    await this.complete();
    while (this.last.index.isContinued) {
      const part = await this.nextPart();
      if (!part) break;
      parts.push(part);
      await this.complete();
    }
    const { isWhole, isContinued } = this.last.index;
    header.isWhole = isWhole && !isContinued;
    header.size = parts.reduce((sum, { source }) => sum + source.size, 0);
  }

  private get last(): Part {
    return this.parts[this.parts.length - 1];
  }

  /** Opens the next file, unless it is missing, has no whole chunk, or belongs to another recording: a file of an earlier one may have its name. */
  private async nextPart(): Promise<Part | undefined> {
    const source = await this.last.source.next();
    if (!source?.size) return undefined;
    const index = await readIndex(source);
    const facts = (part: Index): string => JSON.stringify([...(part.metadata.get("syncvar") ?? [])]);
    const [first] = index.chunks;
    if (!first || facts(index) !== facts(this.parts[0].index) || first.start < this.chunks[this.chunks.length - 1].end) return undefined;
    return { source, index };
  }

  /** Reads the channels of the last chunk of a cut file, whose index may be cut. A chunk that is not readable counts as cut. */
  private async complete(): Promise<void> {
    const { chunks, isWhole } = this.last.index;
    this.places = this.parts.flatMap(({ index }) => index.chunks);
    if (isWhole || !chunks.length) return;
    try {
      const { messages } = await this.chunk(this.places.length - 1);
      chunks[chunks.length - 1].channels = new Set(messages.map(({ channel }) => channel));
    } catch (error) {
      if (!(error instanceof Damage)) throw error;
      chunks.pop();
      this.places.pop();
    }
  }

  get chunks(): readonly ChunkPlace[] {
    return this.places;
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
    const { offset, source } = chunks[first] ?? {};
    if (offset === undefined) return;
    const endOf = ({ offset, length }: ChunkPlace): number => offset + length;
    while (last > first && (kept.has(last) || chunks[last].source !== source || endOf(chunks[last]) - offset > MAX_SPAN)) last--;
    if (last <= first) return;
    const bytes = await source.read(offset, endOf(chunks[last]) - offset);
    const part: Source = { size: bytes.length, read: async (from, length) => bytes.subarray(from - offset, from - offset + length) };
    for (let at = first; at <= last; at++) {
      if (!kept.has(at)) await this.chunk(at, part);
    }
  }

  /** Reads a chunk, unless it is kept. */
  async chunk(at: number, source: Source = this.chunks[at].source): Promise<Chunk> {
    const { kept, sizes } = this;
    const reading = kept.get(at) ?? this.read(source, this.chunks[at]);
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

  private async read(source: Source, place: ChunkPlace): Promise<Chunk> {
    const { records, areDifferences } = this.channels;
    try {
      const chunk = await readChunk(source, place);
      const differences = new Differences();
      for (const message of areDifferences ? chunk.messages : []) {
        if (message.channel === records) within(place.offset, () => differences.restore(message.data));
      }
      return chunk;
    } catch (error) {
      const file = this.parts.findIndex((part) => part.source === place.source);
      throw file > 0 && error instanceof Damage ? new Damage(`file ${file} of the recording: ${error.message}`) : error;
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
  const [keyframes, records] = ["/keyframes", "/records"].map((topic) => channels.find((it) => it.topic === prefix + topic));
  if (!keyframes) throw new LogError("not a log file: its channels are missing");
  return { keyframes: keyframes.id, records: records?.id ?? -1, areDifferences: records?.encoding === DIFFERENCES };
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
