// Objects and their behaviours.

import type { Operation } from "./collections.js";
import { KEEP } from "./keep.js";
import type { Arguments, BehaviourTypes, GameTypes } from "./game.js";
import type { BehaviourSchema, FieldSchema, Prefab } from "./schema.js";
import { type Received, readChanges, readSnapshot, writeChanges } from "./state.js";
import { same, Unreadable } from "./types.js";
import { type Reader, WireError, Writer } from "./wire.js";

/** Change of a field, as hooks receive it. */
export interface Change<Value = any, T extends BehaviourTypes = any> {
  object: NetworkObject;
  behaviour: Behaviour<T>;
  field: string;
  value: Value;
  previous: Value | undefined;
  /** Operations of a collection; none if it came as a whole. */
  operations: Operation[];
  /** Tick of the server that has this value. */
  tick: number;
}

/** Origin of received values. */
export interface Origin {
  /** Tick in the headers. */
  tick: number;
  /** Whether fields that this client writes keep their values. */
  keepsOwn: boolean;
}

/** Requests of the program, which the client sends. */
export interface Requests {
  written(object: NetworkObject): void;
  /** An object needs a snapshot. */
  poisoned(object: NetworkObject): void;
  called(behaviour: Behaviour, call: number, values: any[]): void;
  /** A value of a field does not fit the type of the page. */
  unfit(behaviour: Behaviour, field: string): void;
}

/** Part of an object: fields and calls. */
export class Behaviour<T extends BehaviourTypes = any> {
  private readonly values: Record<string, any> = {};
  /** Values of the fields by name; `undefined` for a field that this client may not or cannot read. */
  readonly fields: Readonly<T["fields"]> = this.values as T["fields"];
  /** Data beside the fields: the output of `on_synchronize` for the last snapshot. */
  data = new Uint8Array();
  /** Positions of the fields that were written and not sent. */
  readonly dirty = new Set<number>();
  /** Ticks of the values. */
  private readonly ticks: number[];

  constructor(
    readonly object: NetworkObject,
    readonly schema: BehaviourSchema,
    /** Whether changes may be lost or come late: the newest value of each field wins. */
    readonly isUnreliable: boolean,
    private readonly requests: Requests,
  ) {
    this.ticks = schema.fields.map(() => -1);
    for (const { name } of schema.fields) this.values[name] = undefined;
    Object.assign(this.values, structuredClone(schema.initial));
  }

  get name(): string {
    return this.schema.name;
  }

  /** Writes a field of an object that this client owns. Throws a `RangeError` if it may not, or if the type cannot hold the value. */
  set<Name extends T["writes"] & keyof T["fields"] & string>(name: Name, value: T["fields"][Name]): void {
    const at = this.schema.fields.findIndex((field) => field.name === name);
    const field = this.schema.fields[at];
    if (!field?.byOwner || !this.object.owned) throw new RangeError(`${this.name}.${name} is no field that this client writes`);
    if (same(field.type, this.values[name], value)) return;
    field.type.write(new Writer(), value);
    this.values[name] = value;
    this.dirty.add(at);
    this.requests.written(this.object);
  }

  /** Sends a command. Throws a `RangeError` if there is none of this name, or if a type cannot hold its argument. */
  call<Name extends keyof T["commands"] & string>(name: Name, ...values: Arguments<T["commands"][Name]>): void {
    const at = this.schema.calls.findIndex((call) => call.name === name && call.kind === "command");
    if (at < 0) throw new RangeError(`${this.name} has no command ${name}`);
    this.requests.called(this, at, values);
  }

  /** Writes fields as a delta. */
  write(writer: Writer, changed: ReadonlySet<number>): void {
    writeChanges(this.schema, writer, changed, this.value);
  }

  readonly value = (at: number): any => this.values[this.schema.fields[at].name];

  /** Returns the tick of a field's value in the headers. */
  tickOf(at: number): number {
    return this.ticks[at];
  }

  /** Replaces values, and returns the changes. */
  receive(received: Received[], { tick, keepsOwn }: Origin): Change[] {
    const changes: Change[] = [];
    for (const { at, value, operations } of received) {
      const { name, type, byOwner, byServer } = this.schema.fields[at];
      const isOwn = keepsOwn && this.object.owned && byOwner && (!byServer || this.dirty.has(at));
      if (isOwn || (this.isUnreliable && tick <= this.ticks[at])) continue;
      this.ticks[at] = tick;
      this.dirty.delete(at);
      if (type.takeUnfit?.()) this.requests.unfit(this, name);
      if (value === KEEP) continue;
      const previous = this.values[name];
      this.values[name] = value;
      if (same(type, previous, value)) continue;
      changes.push({ object: this.object, behaviour: this, field: name, value, previous, operations, tick });
    }
    return changes;
  }

  /** Begins a connection, whose ticks may be those of another run of the server. */
  begin(): void {
    this.ticks.fill(-1);
  }

  /** Forgets the values of fields that this client reads no more. */
  forget(isLost: (field: FieldSchema) => boolean, tick: number): Change[] {
    const lost = this.schema.fields.flatMap((field, at) => (isLost(field) ? [{ at, value: undefined, operations: [] }] : []));
    for (const { at } of lost) this.ticks[at] = -1;
    return this.receive(lost, { tick, keepsOwn: false });
  }
}

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
    unreliable: boolean[],
    requests: Requests,
  ) {
    this.behaviours = prefab.behaviours.map((schema) => new Behaviour(this, schema, unreliable[schema.channel] ?? false, requests));
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
  readSnapshot(reader: Reader, origin: Origin): Change[] {
    return this.readAll(this.behaviours, reader, origin, (behaviour, received) => readSnapshot(behaviour.schema, reader, received), () => {
      for (const behaviour of this.behaviours) {
        if (behaviour.schema.hasData) behaviour.data = reader.take(reader.varint()).slice();
      }
    });
  }

  /** Reads the deltas of the behaviours on a channel. */
  readDelta(reader: Reader, origin: Origin, channel: number): Change[] {
    const behaviours = this.behaviours.filter((behaviour) => behaviour.schema.channel === channel);
    return this.readAll(behaviours, reader, origin, (behaviour, received) => readChanges(behaviour.schema, reader, behaviour.value, received));
  }

  /** Reads the deltas of some behaviours, each behind its position. */
  readSelected(reader: Reader, origin: Origin): Change[] {
    const parts: [Behaviour, Received[]][] = [];
    for (let isWhole = true; isWhole && reader.left > 0; ) {
      const behaviour = this.behaviours[reader.u8()];
      if (!behaviour) throw new WireError("no behaviour at this position");
      const received: Received[] = [];
      isWhole = attempt(() => readChanges(behaviour.schema, reader, behaviour.value, received));
      parts.push([behaviour, received]);
    }
    return parts.flatMap(([behaviour, received]) => behaviour.receive(received, origin));
  }

  /** Reads behaviours in order. From an unknown type on, all fields are unknown. */
  private readAll(
    behaviours: Behaviour[],
    reader: Reader,
    origin: Origin,
    read: (behaviour: Behaviour, received: Received[]) => void,
    readRest?: () => void,
  ): Change[] {
    let isWhole = true;
    const parts = behaviours.map((behaviour) => {
      const received: Received[] = [];
      isWhole &&= attempt(() => read(behaviour, received));
      if (!isWhole) {
        const known = new Set(received.map((it) => it.at));
        behaviour.schema.fields.forEach((_, at) => known.has(at) || received.push({ at, value: undefined, operations: [] }));
      }
      return received;
    });
    if (isWhole) {
      readRest?.();
      reader.finish(`object ${this.id}`);
    }
    // Nothing changes if a part is unreadable.
    return behaviours.flatMap((behaviour, index) => behaviour.receive(parts[index], origin));
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
