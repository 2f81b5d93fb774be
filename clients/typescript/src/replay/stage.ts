// `Stage`: a world that plays tick records.

import { Listeners } from "../listeners.js";
import { FIRST_PROGRAM_MESSAGE, forEachMessage, Kind } from "../messages.js";
import type { Schema } from "../schema.js";
import { Reader, WireError } from "../wire.js";
import { type Observer, type Packet, World } from "../world.js";
import type { Costs, TickEvent } from "./facts.js";
import type { Message } from "./mcap.js";
import { Measure } from "./measure.js";
import { readRecord, type TickRecord } from "./record.js";
import { Replaced } from "./replaced.js";
import { LogError } from "./source.js";

/** Handling of the events of a record: none, kept for the page, or also told to the listeners. */
export type Volume = "silent" | "kept" | "told";

/** Most events of a tick that are kept. */
const MAX_EVENTS = 100_000;

/** Last record that was played. */
export interface Played {
  seq: number;
  tick: number;
  /** Microseconds. */
  time: number;
}

/** Message with a record. */
export interface RecordMessage extends Message {
  isKeyframe: boolean;
}

/** World along the records of a file. */
export class Stage {
  readonly world: World;
  /** Last record that was read. The objects have it, unless an operation is in progress. */
  last: Played | undefined;
  /** Events of the last tick. */
  events: TickEvent[] = [];
  private eventsTick: number | undefined;
  /** Bytes of the last record, if they are measured. */
  costs: Costs = new Map();
  isMeasured = false;
  private volume: Volume = "silent";
  /** Listeners of the world: present while the events are kept. */
  private readonly gate = new Listeners();
  private shut: (() => void) | undefined;
  /** Checksum of the origin of the file. */
  private origin: number | undefined;

  constructor(
    private readonly schema: Schema,
    private readonly listeners: Listeners,
  ) {
    const observer: Observer = {
      written: () => {},
      poisoned: () => {},
      called: () => {
        throw new RangeError("a replay takes no commands");
      },
      spawned: (object) => this.happened({ kind: "spawn", object }, "spawn", object),
      despawned: (object, isHidden) => this.happened({ kind: "despawn", object }, "despawn", object, isHidden),
      changed: (change) => {
        this.happened({ kind: "change", change }, "change", change);
        if (this.volume === "told") listeners.emit(`${change.behaviour.name}.${change.field}`, change);
      },
      networkTick: (tick) => tick,
      emit: (name, ...values) => {
        if (name.includes(".")) this.happened({ kind: "call", name, behaviour: values[0], values: values.slice(1) }, name, ...values);
        else if (this.volume === "told" || name === "unreadable") listeners.emit(name, ...values);
      },
      ready: () => {},
    };
    this.world = new World(observer, this.gate);
  }

  /** Prepares for a jump: the next record is a keyframe. */
  jump(): void {
    this.last = undefined;
    this.events = [];
  }

  /** Plays the record of a message, unless it is behind a gap. Returns whether it was played. */
  play(message: RecordMessage, volume: Volume): boolean {
    return this.guard(() => {
      const record = this.read(message);
      if (record) this.apply(record, message.data.length, volume);
      return record !== undefined;
    });
  }

  /** Plays records in one step, without their events. */
  pass(messages: readonly RecordMessage[]): void {
    this.guard(() => {
      const records = messages.flatMap((message) => this.read(message) ?? []);
      if (records.length > 1) new Replaced(this.schema, this.world.objects.values()).remove(records);
      for (const record of records) this.apply(record, 0, "silent");
    });
  }

  private guard<T>(play: () => T): T {
    try {
      return play();
    } catch (error) {
      const seq = this.last?.seq ?? 0;
      // The objects may have a part of the records. The next record is that of a keyframe.
      this.last = undefined;
      if (error instanceof WireError) throw new LogError(`the record behind record ${seq} of the log file: ${error.message}`);
      throw error;
    }
  }

  /** Reads a record, unless it is behind a gap. */
  private read(message: RecordMessage): TickRecord | undefined {
    const record = readRecord(message.data);
    this.check(record, message);
    const { origin, seq, tick, time } = record;
    const last = this.last?.seq ?? 0;
    if (message.isKeyframe ? seq <= last : !last || seq !== last + 1) return undefined;
    this.origin = origin?.checksum ?? this.origin;
    this.last = { seq, tick, time };
    return record;
  }

  private check(record: TickRecord, { isKeyframe, time, sequence }: RecordMessage): void {
    if (isKeyframe !== (record.origin !== undefined) || time !== record.time || record.seq % 2 ** 32 !== sequence) throw new WireError("a record that does not fit its message");
    if (record.origin && String(record.origin.hash) !== String(this.schema.hash)) throw new WireError("a keyframe of another schema");
    if (record.checksum !== (this.origin ?? record.checksum)) throw new WireError("a record of another origin");
    if (this.last && record.seq > this.last.seq && record.tick < this.last.tick) throw new WireError("an earlier tick");
  }

  private apply(record: TickRecord, length: number, volume: Volume): void {
    const { world } = this;
    const { origin, tick } = record;
    if (tick !== this.eventsTick) this.events = [];
    this.eventsTick = tick;
    this.setVolume(volume);
    const first = this.events.length;
    const measure = this.isMeasured && volume !== "silent" ? new Measure(record.items, length) : undefined;
    if (origin) {
      world.begin(this.schema, [], origin.incarnation);
      // Objects that are not in the keyframe leave with the end of the burst.
      world.spawnFinished(0);
    }
    for (const { channel, messages } of record.items) {
      const reader = new Reader(messages);
      const packet = { channel, tick, isEarly: false };
      forEachMessage(reader, (kind) => this.handle(kind, reader, packet));
    }
    if (origin) world.spawnFinished(1);
    world.tell();
    world.finish({ tick, isComplete: true, isWhole: true });
    if (measure) this.costs = measure.costs(world, this.events.slice(first).flatMap((it) => (it.kind === "change" ? [it.change] : [])));
    if (volume === "told") this.listeners.emit("tick", tick);
  }

  private handle(kind: number, reader: Reader, packet: Packet): void {
    const { world } = this;
    if (world.handle(kind, reader, packet) || kind === Kind.SpawnFinished) return;
    const found = kind >= FIRST_PROGRAM_MESSAGE && this.schema.messages.find((it) => it.number === kind);
    if (!found) throw new WireError(`the message ${kind}, which is not shared`);
    const value = found.type.read(reader);
    this.happened({ kind: "message", name: found.name, value }, "message", found.name, value);
  }

  private setVolume(volume: Volume): void {
    if (volume === "silent") {
      this.shut?.();
      this.shut = undefined;
    } else this.shut ??= this.gate.on("change", () => {});
    this.volume = volume;
  }

  private happened(event: TickEvent, name: string, ...values: any[]): void {
    if (this.volume !== "silent" && this.events.length < MAX_EVENTS) this.events.push(event);
    if (this.volume === "told") this.listeners.emit(name, ...values);
  }
}
