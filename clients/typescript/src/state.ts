// The state of a behaviour, as a snapshot or a delta: WIRE.md, section 3.

import { type Operation, readDelta } from "./collections.js";
import type { Listener, Listeners } from "./listeners.js";
import { unfold } from "./numbers.js";
import type { BehaviourSchema, FieldSchema } from "./schema.js";
import { Form, type Type, Unreadable } from "./types.js";
import { type Reader, WireError, type Writer } from "./wire.js";

/** Roles of a reader, in the byte in front of restricted fields. */
const OWNER = 1;
const ROLES = 3;

/** Operations of a value that came as a whole. */
const NONE: Operation[] = Object.freeze([]) as any;

/** Writers of a field: the server, the owner alone, both. */
export const enum Writers {
  Server,
  Owner,
  Both,
}

/** Receiver of the fields of a behaviour, which have no effect before all of its object is read. */
export class Received {
  count = 0;
  readonly targets: any[] = [];
  readonly fields: number[] = [];
  /** Values; `undefined` for a field that this client may not read. */
  readonly values: any[] = [];
  /** Operations of a collection; none if it came as a whole. */
  readonly operations: Operation[][] = [];
  /** Behaviour whose fields follow. */
  target: any;

  add(at: number, value: any, operations: Operation[]): void {
    const { count } = this;
    this.targets[count] = this.target;
    this.fields[count] = at;
    this.values[count] = value;
    this.operations[count] = operations;
    this.count = count + 1;
  }

  /** Adds all fields from a place of the list on that are not there: they are unknown. */
  addUnknown(from: number, fields: number): void {
    const known = new Set(this.fields.slice(from, this.count));
    for (let at = 0; at < fields; at++) if (!known.has(at)) this.add(at, undefined, NONE);
  }
}

/** Class of a behaviour with fields. */
interface Block {
  first: number;
  end: number;
  /** Its fields in the two halves of a mask. */
  low: number;
  high: number;
  /** Whether a role stands before its snapshot. */
  hasRoles: boolean;
}

/** Bits from `first` to `end` of 32, at an offset. */
function bits(first: number, end: number, offset: number): number {
  let mask = 0;
  for (let at = first; at < end; at++) if (at >= offset && at < offset + 32) mask |= 1 << (at - offset);
  return mask;
}

/** Reader and writer of a behaviour, made once from its schema. */
export class Layout {
  readonly names: string[];
  readonly types: Type[];
  readonly writers: Writers[];
  /** Whether a field has no readers or writers that depend on the owner. */
  readonly isOpen: boolean[];
  /** Whether fields are collections. Operations build on their values. */
  readonly hasCollections: boolean;
  /** Whether values may not fit the types of the page. */
  readonly hasUnfit: boolean;
  /** Maker of the values, whose fields are in the order of the schema. */
  readonly Values: new () => Record<string, any>;
  private readonly events: string[];
  private readonly forms: number[];
  private readonly maxima: number[];
  private readonly blocks: Block[] = [];
  private readonly all: Block;
  private readonly present: number;
  /** Listeners of the fields at a revision. */
  private heard: ReadonlySet<Listener>[][] = [];
  private revision = -1;

  constructor(readonly schema: BehaviourSchema) {
    const { fields } = schema;
    this.names = fields.map(({ name }) => name);
    this.events = fields.map(({ name }) => `${schema.name}.${name}`);
    this.types = fields.map(({ type }) => type);
    this.forms = fields.map(({ type }) => (type.collection ? -1 : type.form ?? Form.Other));
    this.maxima = fields.map(({ type }) => type.max ?? 0);
    this.writers = fields.map(({ byOwner, byServer }) => (!byOwner ? Writers.Server : byServer ? Writers.Both : Writers.Owner));
    this.isOpen = fields.map(({ readers, byOwner }) => readers === "all" && !byOwner);
    this.hasCollections = fields.some(({ type }) => type.collection);
    this.hasUnfit = fields.some(({ type }) => type.takeUnfit);
    this.present = schema.isOptional ? fields.length - 1 : -1;
    this.all = this.block(0, fields.length);
    let first = 0;
    for (const own of schema.isOptional ? schema.classes.slice(0, -1) : schema.classes) {
      if (own > 0) this.blocks.push(this.block(first, first + own));
      first += own;
    }
    const { names } = this;
    this.Values = function (this: Record<string, any>) {
      for (const name of names) this[name] = undefined;
      if (schema.initial) Object.assign(this, structuredClone(schema.initial));
    } as any;
    // A field may have any name, also that of a member of all objects.
    this.Values.prototype = Object.create(null);
  }

  private block(first: number, end: number): Block {
    const hasRoles = this.schema.fields.slice(first, end).some(({ readers }) => readers !== "all" && readers !== "server");
    return { first, end, low: bits(first, end, 0), high: bits(first, end, 32), hasRoles };
  }

  /** Returns the listeners of a field: those of all changes, and its own. */
  hearers(at: number, listeners: Listeners): ReadonlySet<Listener>[] {
    if (this.revision !== listeners.revision) {
      this.revision = listeners.revision;
      this.heard = this.events.map((name) => ["change", name].flatMap((it) => listeners.of(it) ?? []));
    }
    return this.heard[at];
  }

  /** Returns a value that the page cannot change in its place, if operations build on it. */
  keep(at: number, value: any): any {
    if (!this.types[at].collection || !value) return value;
    if (Array.isArray(value)) return Object.freeze(value);
    const refuse = {
      value: () => {
        throw new TypeError(`${this.events[at]} is not changed in its place: set a changed copy`);
      },
    };
    return Object.defineProperties(value, { set: refuse, add: refuse, delete: refuse, clear: refuse });
  }

  /** Reads all fields. An `Unreadable` leaves those before it in the list. */
  readSnapshot(reader: Reader, received: Received): void {
    const { present } = this;
    if (present >= 0 && !this.readPresence(reader, received)) return;
    for (const { first, end, hasRoles } of this.blocks) {
      const role = hasRoles ? reader.u8() : OWNER;
      if (role >= ROLES) throw new WireError(`unknown role ${role}`);
      for (let at = first; at < end; at++) {
        if (reads(role, this.schema.fields[at])) this.readField(at, reader, received);
        else received.add(at, undefined, NONE);
      }
    }
  }

  /** Reads changed fields, as `readSnapshot` does. `values` has the values of the fields before. */
  readChanges(reader: Reader, values: Record<string, any>, received: Received): void {
    const { present, blocks } = this;
    if (present >= 0) {
      const { low, high } = this.block(present, present + 1);
      const [changed, upper] = [this.readMask(reader), reader.high];
      if ((changed & low || upper & high) && !this.readPresence(reader, received)) return;
      if (!(changed & ~low || upper & ~high)) return;
    }
    for (let index = 0; index < blocks.length; index++) {
      const block = blocks[index];
      let low = this.readMask(reader) & block.low;
      let high = reader.high & block.high;
      for (; low; low &= low - 1) this.readChange(31 - Math.clz32(low & -low), reader, values, received);
      for (; high; high &= high - 1) this.readChange(63 - Math.clz32(high & -high), reader, values, received);
    }
  }

  /** Reads whether the behaviour is there. The fields of an absent one are unknown. */
  private readPresence(reader: Reader, received: Received): boolean {
    const from = received.count;
    this.readField(this.present, reader, received);
    const isThere = received.values[from];
    if (!isThere) received.addUnknown(from, this.present);
    return isThere;
  }

  /** Reads a mask: returns its lower half, and leaves the upper one in the reader. */
  private readMask(reader: Reader): number {
    const low = reader.halves();
    if (low & ~this.all.low || reader.high & ~this.all.high) throw new WireError(`unknown fields in the mask of ${this.schema.name}`);
    return low;
  }

  private readChange(at: number, reader: Reader, values: Record<string, any>, received: Received): void {
    if (this.forms[at] >= 0) return this.readField(at, reader, received);
    // Operations need the elements before them.
    const before = values[this.names[at]];
    if (before === undefined && reader.peek() !== 0) throw new Unreadable();
    const { value, operations } = readDelta(this.types[at].collection!, reader, before);
    received.add(at, value, operations.length ? operations : NONE);
  }

  private readField(at: number, reader: Reader, received: Received): void {
    received.add(at, this.readValue(at, reader), NONE);
  }

  private readValue(at: number, reader: Reader): any {
    switch (this.forms[at]) {
      case Form.Float:
        return reader.f32();
      case Form.Unsigned:
        return this.readNumber(at, reader);
      case Form.Signed:
        return unfold(this.readNumber(at, reader));
      default:
        return this.types[at].read(reader);
    }
  }

  private readNumber(at: number, reader: Reader): number {
    const raw = reader.varint();
    if (raw > this.maxima[at]) throw new WireError(`${raw} is beyond ${this.maxima[at]}`);
    return raw;
  }

  /** Writes these fields as a delta, with their whole values. */
  writeChanges(writer: Writer, changed: ReadonlySet<number>, values: Record<string, any>): void {
    let mask = 0n;
    for (const at of changed) mask |= 1n << BigInt(at);
    if (this.present >= 0) writer.varint(mask);
    for (const { first, end } of this.blocks) {
      writer.varint(mask);
      for (let at = first; at < end; at++) {
        if (!changed.has(at)) continue;
        const type = this.types[at];
        // A whole collection stands behind no operations.
        if (type.collection) writer.varint(0);
        type.write(writer, values[this.names[at]]);
      }
    }
  }
}

function reads(role: number, field: FieldSchema): boolean {
  switch (field.readers) {
    case "all":
      return true;
    case "owner":
      return role === OWNER;
    case "group":
      return role !== 0;
    case "others":
      return role !== OWNER;
    case "server":
      return false;
  }
}
