// `Stage`: a world that plays tick records.

import { Listeners } from "../listeners.js";
import { FIRST_PROGRAM_MESSAGE, forEachMessage, Kind } from "../messages.js";
import type { Behaviour, Change, NetworkObject } from "../objects.js";
import type { Schema } from "../schema.js";
import { Reader, WireError } from "../wire.js";
import { type Observer, type Packet, World } from "../world.js";
import { type Costs, Measure } from "./measure.js";
import { readRecord, type TickRecord } from "./record.js";
import { LogError } from "./source.js";

/** Event of a tick. */
export type TickEvent =
  | { kind: "change"; change: Change }
  | { kind: "spawn" | "despawn"; object: NetworkObject }
  | { kind: "call"; name: string; behaviour: Behaviour; values: any[] }
  | { kind: "message"; name: string; value: any };

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

/** World along the records of a file. */
export class Stage {
  readonly world: World;
  last: Played | undefined;
  /** Events of the last tick. */
  events: TickEvent[] = [];
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

  /** Plays a record of a message, unless it is behind a gap. Returns whether it was played. */
  play(data: Uint8Array, isKeyframe: boolean, volume: Volume): boolean {
    const seq = this.last?.seq ?? 0;
    try {
      const record = readRecord(data);
      this.check(record, isKeyframe);
      const isNext = isKeyframe ? record.seq > seq : seq > 0 && record.seq === seq + 1;
      if (isNext) this.apply(record, data.length, volume);
      return isNext;
    } catch (error) {
      // The objects may have a part of the record. The next record is that of a keyframe.
      this.last = undefined;
      if (error instanceof WireError) throw new LogError(`the record behind record ${seq} of the log file: ${error.message}`);
      throw error;
    }
  }

  private check(record: TickRecord, isKeyframe: boolean): void {
    if (isKeyframe !== (record.origin !== undefined)) throw new WireError("a record that does not fit its message");
    if (record.origin && String(record.origin.hash) !== String(this.schema.hash)) throw new WireError("a keyframe of another schema");
    if (record.checksum !== (this.origin ?? record.checksum)) throw new WireError("a record of another origin");
    if (this.last && record.seq > this.last.seq && record.tick < this.last.tick) throw new WireError("an earlier tick");
  }

  private apply(record: TickRecord, length: number, volume: Volume): void {
    const { world } = this;
    const { origin, seq, tick, time } = record;
    if (tick !== this.last?.tick) this.events = [];
    this.setVolume(volume);
    const first = this.events.length;
    const measure = this.isMeasured ? new Measure(record.items, length) : undefined;
    if (origin) {
      this.origin = origin.checksum;
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
    world.finish({ tick, isComplete: true, isWhole: true, isAfterGap: false });
    this.last = { seq, tick, time };
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
