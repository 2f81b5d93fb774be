// `Replay`: plays log files of `syncvar`, without a server.

import { type Listener, Listeners } from "./listeners.js";
import type { NetworkObject } from "./objects.js";
import type { Costs, LogHeader, Marker, TickEvent } from "./replay/facts.js";
import { Log } from "./replay/log.js";
import type { Message } from "./replay/mcap.js";
import { tickOf } from "./replay/record.js";
import { LogError, type Source } from "./replay/source.js";
import { blobSource, bytesSource, urlSource } from "./replay/sources.js";
import { type RecordMessage, Stage, type Volume } from "./replay/stage.js";

export { LogError, type LogHeader, type Marker, type Source, type TickEvent };
export type { Behaviour, Change, NetworkObject } from "./objects.js";
export type { BehaviourSchema, FieldSchema, Prefab, Schema } from "./schema.js";

/** Slowest and fastest speed. */
const SPEEDS = [0.1, 64];

/** Interval of the timer of a replay that plays, in milliseconds. */
const FRAME = 16;

/** Longest step of this timer, in milliseconds: a tab may sleep. */
const MAX_STEP = 1000;

/** Distances to the end of a followed file, in seconds: of the begin, at which the speed rises, and beyond which the replay jumps. */
const FOLLOW = { begin: 3, faster: 5, jump: 20 };

/** Speed of a replay that is behind. */
const CATCH_UP = 1.1;

/** Next message: number of the chunk, number of the message. */
interface Cursor {
  chunk: number;
  message: number;
}

/**
 * Replay of a log file. All times are seconds of the server. Listeners of `spawn`, `despawn`, `change`, `tick`, `message`, of fields such as
 * `Car.lap` and of calls run while it plays and in a step forward, not in a seek. `moved` runs after each change of the position,
 * `state` at each begin and end of playing, `error` with the reason that has ended it, `grown` behind a refresh with new records.
 */
export class Replay {
  private readonly listeners = new Listeners();
  private readonly stage: Stage;
  private cursor: Cursor = { chunk: 0, message: 0 };
  /** Position in microseconds. */
  private at: number;
  private current: number | undefined;
  private timer: ReturnType<typeof setInterval> | undefined;
  /** Operations one after another. */
  private queue: Promise<unknown> = Promise.resolve();
  /** Number of the last seek. */
  private seeks = 0;
  private isAdvancing = false;
  private isAtEnd = false;

  private constructor(
    private readonly log: Log,
    private readonly found: Marker[],
  ) {
    this.stage = new Stage(log.header.schema, this.listeners);
    this.at = log.chunks[0].start;
  }

  /** Opens a file by its address, of the user, in memory, or from a source of the program. Shows its begin. */
  static async open(file: string | URL | Blob | Uint8Array | Source): Promise<Replay> {
    const source = typeof file === "string" || file instanceof URL ? await urlSource(file)
      : file instanceof Uint8Array ? bytesSource(file)
      : file instanceof Blob ? blobSource(file)
      : file;
    const log = await Log.open(source);
    const replay = new Replay(log, await log.markers(0));
    await replay.seek(replay.start);
    return replay;
  }

  /** Opens a further replay of the same file, such as for a plot of a time elsewhere. It shares the decoded chunks. */
  async fork(): Promise<Replay> {
    const replay = new Replay(this.log, this.found);
    await replay.seek(replay.start);
    return replay;
  }

  get header(): LogHeader {
    return this.log.header;
  }

  /** Moments with names. */
  get markers(): readonly Marker[] {
    return this.found;
  }

  /** Whether the replay follows a file that is being written. */
  get isFollowing(): boolean {
    return this.isAtEnd;
  }

  /** Time of the first record. */
  get start(): number {
    return this.log.chunks[0].start / 1e6;
  }

  /** Time of the last record. */
  get end(): number {
    return this.log.chunks[this.log.chunks.length - 1].end / 1e6;
  }

  get duration(): number {
    return this.end - this.start;
  }

  /** Times of the keyframes. */
  get keyframes(): number[] {
    return this.log.chunks.flatMap(({ start }, at) => (this.log.hasKeyframe(at) ? [start / 1e6] : []));
  }

  /** Times and compressed bytes of the chunks with records. */
  get chunks(): { start: number; end: number; bytes: number }[] {
    const chunks = this.log.chunks.filter((_, at) => this.hasRecords(at));
    return chunks.map(({ start, end, length }) => ({ start: start / 1e6, end: end / 1e6, bytes: length }));
  }

  /** Objects by id. */
  get objects(): ReadonlyMap<number, NetworkObject> {
    return this.stage.world.objects;
  }

  /** Time that the objects show. */
  get position(): number {
    return this.at / 1e6;
  }

  /** Time of the last record that was played, which is at most the position. */
  get recordTime(): number {
    return (this.stage.last?.time ?? this.at) / 1e6;
  }

  /** Tick of this record. */
  get tick(): number | undefined {
    return this.stage.last?.tick;
  }

  /** Events of this tick: what a step forward to it would tell. */
  get events(): readonly TickEvent[] {
    return this.stage.events;
  }

  /** Bytes of the last record by prefab and field, while `isMeasured` is set. */
  get costs(): Costs {
    return this.stage.costs;
  }

  set isMeasured(isMeasured: boolean) {
    this.stage.isMeasured = isMeasured;
  }

  /** Speed; `undefined` in a pause, and at the end of the file. */
  get speed(): number | undefined {
    return this.current;
  }

  /** Adds a listener. Returns a function that removes it. */
  on(name: string, listener: Listener): () => void {
    return this.listeners.on(name, listener);
  }

  /** Plays at a speed of 0.1 to 64; other speeds are limited. */
  play(speed = 1): void {
    this.isAtEnd = false;
    this.begin(speed);
  }

  /** Plays near the end of a file that is being written, and waits there for records, which `refresh` finds. A pause, a seek and `play` end it. */
  async follow(): Promise<void> {
    await this.seek(this.end - FOLLOW.begin);
    this.isAtEnd = !this.header.isWhole;
    this.begin(1);
  }

  /** Finds records that were written since the file was opened. Returns whether there are any, or the end of the recording. */
  async refresh(): Promise<boolean> {
    const first = this.log.chunks.length;
    const isGrown = await this.log.refresh();
    if (!isGrown) return false;
    this.found.push(...(await this.log.markers(first)));
    this.listeners.emit("grown");
    return true;
  }

  private begin(speed: number): void {
    this.current = Math.min(Math.max(speed, SPEEDS[0]), SPEEDS[1]);
    this.listeners.emit("state", this.current);
    if (this.timer !== undefined) return;
    let last = performance.now();
    this.timer = setInterval(() => {
      // A slow request of a chunk holds the time.
      const since = Math.min(performance.now() - last, MAX_STEP);
      last = performance.now();
      if (this.isAdvancing) return;
      this.isAdvancing = true;
      this.advance((since / 1000) * this.rate())
        .catch((error) => this.listeners.emit("error", error))
        .finally(() => (this.isAdvancing = false));
    }, FRAME);
  }

  /** Returns the speed of the timer. */
  private rate(): number {
    return (this.current ?? 0) * (this.isAtEnd && this.end - this.position > FOLLOW.faster ? CATCH_UP : 1);
  }

  pause(): void {
    this.isAtEnd = false;
    clearInterval(this.timer);
    this.timer = undefined;
    if (this.current === undefined) return;
    this.current = undefined;
    this.listeners.emit("state", undefined);
  }

  /** Plays the records of the next seconds. At the end of the file, and at a damaged record, the replay pauses. */
  advance(seconds: number): Promise<void> {
    const seek = this.seeks;
    return this.enqueue(async () => {
      // A seek since then has the last word.
      if (seek !== this.seeks) return;
      try {
        const due = Math.min(this.at + seconds * 1e6, this.end * 1e6);
        await this.playUntil(due, () => "told");
        this.at = due;
        if (this.header.isWhole) this.isAtEnd = false;
        if (this.isAtEnd && this.end - this.position > FOLLOW.jump) await this.jump(Math.round((this.end - FOLLOW.begin) * 1e6));
        if (this.position >= this.end && !this.isAtEnd) this.pause();
      } catch (error) {
        this.pause();
        throw error;
      }
    });
  }

  /** Jumps to a time: the objects get the state of the last record up to it. Times beyond the file are limited. A later seek takes the place of one that waits. */
  seek(time: number): Promise<void> {
    this.isAtEnd = false;
    const number = ++this.seeks;
    return this.enqueue(async () => {
      if (number === this.seeks) await this.jump(Math.round(Math.min(Math.max(time, this.start), this.end) * 1e6));
    });
  }

  /** Plays the next tick, or jumps to the record before the last played tick, and pauses. Returns whether there was one. */
  step(direction: 1 | -1): Promise<boolean> {
    this.pause();
    return this.enqueue(() => (direction > 0 ? this.stepForward() : this.stepBack()));
  }

  /** Runs an operation behind those that wait. */
  private enqueue<T>(run: () => Promise<T>): Promise<T> {
    const result = this.queue.then(async () => {
      try {
        return await run();
      } finally {
        this.listeners.emit("moved", this.position);
      }
    });
    this.queue = result.catch(() => {});
    return result;
  }

  private async stepForward(): Promise<boolean> {
    let tick: number | undefined;
    let isFound = false;
    await this.playUntil(Infinity, ({ data }) => {
      tick ??= tickOf(data);
      return tickOf(data) === tick ? "told" : undefined;
    }, (isPlayed) => {
      isFound ||= isPlayed;
      // A record without effect is no step.
      if (!isFound) tick = undefined;
    });
    if (isFound) this.at = this.stage.last!.time;
    return isFound;
  }

  private async stepBack(): Promise<boolean> {
    const before = (this.stage.last?.time ?? this.at) - 1;
    if (before < this.log.chunks[0].start) return false;
    await this.jump(before);
    this.at = this.stage.last?.time ?? before;
    return true;
  }

  private async jump(time: number): Promise<void> {
    const { log } = this;
    const isAhead = this.leadsTo(time);
    const last = this.chunkAt(time);
    let chunk = isAhead ? this.cursor.chunk : this.keyframeBefore(time);
    // A chunk that is not readable leaves the objects as they are.
    await log.load(chunk, last);
    const tail = await this.tailOf(time);
    if (!isAhead) {
      // The record of a keyframe's own tick is before it, with the events of the tick.
      chunk = this.keyframeBefore(tail);
      await log.load(chunk, last);
      await log.checkKeyframe(chunk);
      this.cursor = { chunk, message: 0 };
      this.stage.jump();
    }
    await this.playUntil(time, ({ time }) => (time >= tail ? "kept" : "silent"));
    this.at = time;
  }

  /** Returns the number of the last chunk with a keyframe before a time, or of the first one with a keyframe. */
  private keyframeBefore(time: number): number {
    const { log } = this;
    let at = log.chunks.length - 1;
    while (at > 0 && !(log.chunks[at].start < time && log.hasKeyframe(at))) at--;
    while (at < log.chunks.length - 1 && !log.hasKeyframe(at)) at++;
    return at;
  }

  /** Returns the time of the first record of the last tick up to a time. */
  private async tailOf(time: number): Promise<number> {
    const { log } = this;
    const messages = (await log.chunk(this.chunkAt(time))).messages.filter((it) => it.time <= time && log.kindOf(it));
    const last = messages.at(-1);
    if (!last) return time;
    const tick = safeTick(last);
    let first = last;
    for (let index = messages.length - 1; index >= 0 && safeTick(messages[index]) === tick; index--) first = messages[index];
    return first.time;
  }

  /** Returns the last chunk with records that begins up to a time. */
  private chunkAt(time: number): number {
    const { chunks } = this.log;
    let at = chunks.length - 1;
    while (at > 0 && (chunks[at].start > time || !this.hasRecords(at))) at--;
    return at;
  }

  private hasRecords(at: number): boolean {
    return [...(this.log.chunks[at].channels ?? [])].some((channel) => this.log.kindOf({ channel } as Message));
  }

  /** Returns whether the records behind the last one are the shortest way to a time. */
  private leadsTo(time: number): boolean {
    const last = this.stage.last?.time;
    if (last === undefined || last > time) return false;
    if (last === time) return true;
    return !this.log.chunks.some(({ start }, at) => last < start && start < time && this.log.hasKeyframe(at));
  }

  /** Plays records up to a time, each at its volume, or until one has none. */
  private async playUntil(limit: number, volumeOf: (message: Message) => Volume | undefined, played?: (isPlayed: boolean) => void): Promise<void> {
    const { log, cursor } = this;
    while (cursor.chunk < log.chunks.length && log.chunks[cursor.chunk].start <= limit) {
      const { messages } = await log.chunk(cursor.chunk);
      this.pass(messages, limit, volumeOf);
      for (; cursor.message < messages.length; cursor.message++) {
        const message = messages[cursor.message];
        if (message.time > limit) return;
        const kind = log.kindOf(message);
        if (!kind) continue;
        const volume = volumeOf(message);
        if (!volume) return;
        const isPlayed = this.stage.play({ ...message, isKeyframe: kind === "keyframe" }, volume);
        played?.(isPlayed);
      }
      [cursor.chunk, cursor.message] = [cursor.chunk + 1, 0];
    }
  }

  /** Plays the silent records of a chunk at the cursor in one step. */
  private pass(messages: readonly Message[], limit: number, volumeOf: (message: Message) => Volume | undefined): void {
    const { log, cursor } = this;
    const silent: RecordMessage[] = [];
    let at = cursor.message;
    for (; at < messages.length && messages[at].time <= limit; at++) {
      const kind = log.kindOf(messages[at]);
      if (kind && volumeOf(messages[at]) !== "silent") break;
      if (kind) silent.push({ ...messages[at], isKeyframe: kind === "keyframe" });
    }
    this.stage.pass(silent);
    cursor.message = at;
  }
}

/** Returns the tick of a record that may be damaged: the play of it tells. */
function safeTick({ data }: Message): number | undefined {
  try {
    return tickOf(data);
  } catch {
    return undefined;
  }
}
