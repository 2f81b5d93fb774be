// Objects and their behaviours.

import type { Operation } from "./collections.js";
import { KEEP } from "./keep.js";
import type { Arguments, BehaviourTypes, FieldsOf, GameTypes, Kept } from "./game.js";
import type { BehaviourSchema, FieldSchema, Prefab } from "./schema.js";
import { type Layout, Received, Writers } from "./state.js";
import { bytesOf, equal, travelled, Unreadable } from "./types.js";
import { type Reader, WireError, type Writer } from "./wire.js";

/** Change of a field, as hooks receive it. */
export class Change<Value = any, T extends BehaviourTypes = any> {
  constructor(
    readonly behaviour: Behaviour<T>,
    /** Position of the field. */
    readonly at: number,
    readonly value: Value,
    readonly previous: Value | undefined,
    /** Operations of a collection; none if it came as a whole. */
    readonly operations: readonly Operation[],
    /** Tick of the server that has this value. */
    readonly tick: number,
  ) {}

  get object(): NetworkObject {
    return this.behaviour.object;
  }

  /** Name of the field. */
  get field(): string {
    return this.behaviour.layout.names[this.at];
  }
}

/** Origin of received values. */
export interface Origin {
  /** Tick in the headers. */
  tick: number;
  /** Whether fields that this client writes keep their values. */
  keepsOwn: boolean;
  /** Whether the values count beside newer ones, which were read in another role. */
  isAnew?: boolean;
  /** Whether packets of the stream before it are missing: fields that depend on the owner wait. */
  isEarly?: boolean;
}

/** Requests of the program, which the client sends. */
export interface Requests {
  written(object: NetworkObject): void;
  /** An object needs a snapshot. */
  poisoned(object: NetworkObject): void;
  called(behaviour: Behaviour, call: number, values: any[], isLossy: boolean): void;
  /** Tells an event. */
  emit(name: string, ...values: any[]): void;
  /** A field has another value. */
  changed(behaviour: Behaviour, at: number, value: any, previous: any, operations: Operation[], tick: number): void;
}

/** Longest value of a field that an owner writes, in bytes: it shares a packet of 64 KiB with the headers. */
const MAX_VALUE = 65_000;

/** Part of an object: fields and calls. */
export class Behaviour<T extends BehaviourTypes = any> {
  private readonly values: Record<string, any>;
  /** Values of the fields by name; `undefined` for a field that this client may not or cannot read. */
  readonly fields: FieldsOf<T["fields"]>;
  /** Data beside the fields: the output of `on_synchronize` for the last snapshot. */
  data = new Uint8Array();
  /** Positions of the fields that were written and not sent. */
  readonly dirty = new Set<number>();
  /** Ticks of the values. */
  private readonly ticks: number[] = [];

  constructor(
    readonly object: NetworkObject,
    readonly layout: Layout,
    /** Whether changes may be lost or come late: the newest value of each field wins. */
    readonly isUnreliable: boolean,
    private readonly requests: Requests,
  ) {
    this.values = new layout.Values();
    this.fields = this.values as FieldsOf<T["fields"]>;
    this.begin();
  }

  get schema(): BehaviourSchema {
    return this.layout.schema;
  }

  get name(): string {
    return this.layout.schema.name;
  }

  /**
   * Writes a field of an object that this client owns. Its value is the one that travels: a float is rounded, for example. Throws a `RangeError`
   * if this client may not write it or the type cannot hold the value, and a `TypeError` for a value of another type.
   */
  set<Name extends T["writes"] & keyof T["fields"] & string>(name: Name, value: Kept<T["fields"][Name]>): void {
    const at = this.layout.names.lastIndexOf(name);
    const place = `${this.name}.${name}`;
    if (at < 0 || this.layout.writers[at] === Writers.Server || !this.object.owned) throw new RangeError(`${place} is no field that this client writes`);
    const type = this.layout.types[at];
    const { length } = bytesOf(type, value, place);
    if (length > MAX_VALUE) throw new RangeError(`${place}: a value of ${length} bytes, beyond ${MAX_VALUE}`);
    const sent = travelled(type, value ?? null);
    // A value that the page has changed in its place has no value of before.
    if (equal(this.values[name], sent) && !(value === this.values[name] && typeof value === "object" && value)) return;
    this.values[name] = this.layout.keep(at, sent);
    this.dirty.add(at);
    this.requests.written(this.object);
  }

  /** Sends a command. Throws a `RangeError` or a `TypeError` if there is none of this name, or if a type cannot hold its argument. */
  call<Name extends keyof T["commands"] & string>(name: Name, ...values: Arguments<T["commands"][Name]>): void {
    this.send(name, values, false);
  }

  /** Sends a command that may be lost: by a datagram, where the transport has them. Throws a `RangeError` for a longer one, too. */
  callUnreliably<Name extends keyof T["commands"] & string>(name: Name, ...values: Arguments<T["commands"][Name]>): void {
    this.send(name, values, true);
  }

  private send(name: string, values: any[], isLossy: boolean): void {
    const at = this.schema.calls.findIndex((call) => call.name === name && call.kind === "command");
    if (at < 0) throw new RangeError(`${this.name} has no command ${name}`);
    this.requests.called(this, at, values, isLossy);
  }

  /** Reads the deltas. */
  readChanges(reader: Reader, received: Received): void {
    received.target = this;
    this.layout.readChanges(reader, this.values, received);
  }

  /** Writes fields as a delta. */
  write(writer: Writer, changed: ReadonlySet<number>): void {
    this.layout.writeChanges(writer, changed, this.values);
  }

  /** Returns the tick of a field's value in the headers. */
  tickOf(at: number): number {
    return this.ticks[at];
  }

  /** Takes a received value. */
  receive(at: number, value: any, operations: Operation[], origin: Origin): void {
    const { layout, dirty } = this;
    if (origin.isEarly && !layout.isOpen[at]) return;
    const writers = layout.writers[at];
    if (writers && origin.keepsOwn && this.object.owned && (writers === Writers.Owner || dirty.has(at))) return;
    if (this.isUnreliable && origin.tick <= this.ticks[at] && !origin.isAnew) return;
    this.ticks[at] = origin.tick;
    if (dirty.size) dirty.delete(at);
    const name = layout.names[at];
    if (layout.hasUnfit && layout.types[at].takeUnfit?.()) this.requests.emit("unfit", this, name);
    if (value === KEEP) return;
    const previous = this.values[name];
    this.values[name] = layout.hasCollections ? layout.keep(at, value) : value;
    if (!equal(previous, value)) this.requests.changed(this, at, value, previous, operations, origin.tick);
  }

  /** Begins a connection, whose ticks may be those of another run of the server. */
  begin(): void {
    for (let at = 0; at < this.layout.names.length; at++) this.ticks[at] = -1;
  }

  /** Forgets the values of fields that this client reads no more. */
  forget(isLost: (field: FieldSchema) => boolean, tick: number): void {
    this.schema.fields.forEach((field, at) => isLost(field) && this.receive(at, undefined, [], { tick, keepsOwn: false, isAnew: true }));
  }
}

/** Fields of the object in progress. The reader of objects is used again for each of them. */
const received = new Received();

/** Object of the server, as this client sees it. */
export class NetworkObject<G extends GameTypes = any> {
  readonly behaviours: Behaviour[];
  /** Whether this client owns it. */
  owned = false;
  /** Number of the player, if the server has made it one. */
  player: number | undefined;
  position: [number, number, number] = [0, 0, 0];
  rotation: [number, number, number, number] = [0, 0, 0, 1];
  /** Id of its parent; 0 for none. */
  parent = 0;
  /** Number in its scene; 0 for none. */
  scene = 0;
  /** Whether the program knows it. */
  isAnnounced = false;
  /** Whether the burst in progress has it. */
  isRefreshed = false;
  /** Number under which this client may write; 0 for none. */
  permit = 0;
  /** Tick of its first snapshot. */
  spawned = 0;
  /** Whether its state could not be read. It changes no more until a snapshot. */
  isPoisoned = false;
  /** Whether this snapshot is on its way. */
  isAsked = false;

  constructor(
    readonly id: number,
    readonly prefab: Prefab,
    layouts: readonly Layout[],
    unreliable: boolean[],
    requests: Requests,
  ) {
    this.behaviours = layouts.map((layout) => new Behaviour(this, layout, unreliable[layout.schema.channel] ?? false, requests));
  }

  /** Begins a connection, which sends a snapshot. */
  begin(): void {
    this.spawned = 0;
    this.isPoisoned = this.isAsked = false;
    for (const behaviour of this.behaviours) behaviour.begin();
  }

  /** Returns the first behaviour of this name. */
  get<Name extends keyof G["behaviours"] & string>(name: Name): Behaviour<G["behaviours"][Name]> | undefined {
    return this.behaviours.find((behaviour) => behaviour.name === name);
  }

  /** Reads the snapshots of all behaviours, and the data behind them. */
  readSnapshot(reader: Reader, origin: Origin): void {
    received.count = 0;
    let isWhole = true;
    for (const behaviour of this.behaviours) {
      const from = received.count;
      received.target = behaviour;
      isWhole &&= attempt(() => behaviour.layout.readSnapshot(reader, received));
      if (!isWhole) received.addUnknown(from, behaviour.layout.names.length);
    }
    if (isWhole) {
      for (const behaviour of this.behaviours) {
        if (behaviour.schema.hasData) behaviour.data = reader.take(reader.varint()).slice();
      }
      reader.finish(`object ${this.id}`);
    }
    this.receive(origin);
  }

  /** Reads the deltas of the behaviours on a channel. */
  readDelta(reader: Reader, origin: Origin, channel: number): void {
    received.count = 0;
    const { behaviours } = this;
    let at = 0;
    let from = 0;
    try {
      for (; at < behaviours.length; at++) {
        from = received.count;
        if (behaviours[at].layout.schema.channel === channel) behaviours[at].readChanges(reader, received);
      }
      if (reader.left) reader.finish(`object ${this.id}`);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      // From a value of an unknown type on, all fields are unknown.
      for (; at < behaviours.length; at++) {
        if (behaviours[at].layout.schema.channel !== channel) continue;
        received.target = behaviours[at];
        received.addUnknown(from, behaviours[at].layout.names.length);
        from = received.count;
      }
    }
    this.receive(origin);
  }

  /** Reads the deltas of some behaviours, each behind its position. */
  readSelected(reader: Reader, origin: Origin): void {
    received.count = 0;
    for (let isWhole = true; isWhole && reader.left > 0; ) {
      const behaviour = this.behaviours[reader.u8()];
      if (!behaviour) throw new WireError("no behaviour there");
      isWhole = attempt(() => behaviour.readChanges(reader, received));
    }
    this.receive(origin);
  }

  /** Takes the values that were read. Without a call, nothing of an unreadable object changes. */
  private receive(origin: Origin): void {
    const { count, targets, fields, values, operations } = received;
    for (let index = 0; index < count; index++) (targets[index] as Behaviour).receive(fields[index], values[index], operations[index], origin);
  }
}

/** Runs a read. Returns `false` at a value of an unknown type. */
function attempt(read: () => void): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}
