// The state of a behaviour, as a snapshot or a delta: WIRE.md, section 3.

import { type Operation, readDelta } from "./collections.js";
import type { BehaviourSchema, FieldSchema } from "./schema.js";
import { Unreadable } from "./types.js";
import { type Reader, WireError, type Writer } from "./wire.js";

/** Received value of a field; `undefined` for a field that this client may not read. */
export interface Received {
  /** Position of the field. */
  at: number;
  value: any;
  /** Operations of a collection; none if it came as a whole. */
  operations: Operation[];
}

/** Roles of a reader, in the byte in front of restricted fields. */
const OWNER = 1;
const ROLES = 3;

/** Reads all fields. An `Unreadable` leaves those before it in the list. */
export function readSnapshot(schema: BehaviourSchema, reader: Reader, received: Received[]): void {
  const take = (at: number, isRead: boolean): void => {
    received.push({ at, value: isRead ? schema.fields[at].type.read(reader) : undefined, operations: [] });
  };
  const last = schema.fields.length - 1;
  if (schema.isOptional) {
    take(last, true);
    if (!received[0].value) {
      for (let at = 0; at < last; at++) take(at, false);
      return;
    }
  }
  forEachClass(schema, (fields, first) => {
    const role = fields.some((field) => field.readers !== "all") ? reader.u8() : OWNER;
    if (role >= ROLES) throw new WireError(`unknown role ${role}`);
    fields.forEach((field, index) => take(first + index, reads(role, field)));
  });
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
  }
}

/** Reads changed fields, as `readSnapshot` does. `current` returns the value of a field before. */
export function readChanges(schema: BehaviourSchema, reader: Reader, current: (at: number) => any, received: Received[]): void {
  const take = (at: number): void => {
    const { collection, read } = schema.fields[at].type;
    if (!collection) {
      received.push({ at, value: read(reader), operations: [] });
      return;
    }
    // Operations need the elements before them.
    const before = current(at);
    if (before === undefined && reader.peek() !== 0) throw new Unreadable();
    received.push({ at, ...readDelta(collection, reader, before) });
  };
  const last = schema.fields.length - 1;
  if (schema.isOptional) {
    const mask = readMask(schema, reader);
    if (has(mask, last)) take(last);
    if (!(mask & ~(1n << BigInt(last)))) return;
  }
  forEachClass(schema, (fields, first) => {
    const mask = readMask(schema, reader);
    fields.forEach((_, index) => has(mask, first + index) && take(first + index));
  });
}

/** Writes these fields as a delta, with their whole values. */
export function writeChanges(schema: BehaviourSchema, writer: Writer, changed: ReadonlySet<number>, current: (at: number) => any): void {
  let mask = 0n;
  for (const at of changed) mask |= 1n << BigInt(at);
  if (schema.isOptional) writer.varint(mask);
  forEachClass(schema, (fields, first) => {
    writer.varint(mask);
    fields.forEach(({ type }, index) => {
      if (!changed.has(first + index)) return;
      // A whole collection stands behind no operations.
      if (type.collection) writer.varint(0);
      type.write(writer, current(first + index));
    });
  });
}

/** Visits the classes with fields, except the one of `present`. */
function forEachClass(schema: BehaviourSchema, visit: (fields: FieldSchema[], first: number) => void): void {
  let first = 0;
  for (const own of schema.isOptional ? schema.classes.slice(0, -1) : schema.classes) {
    if (own > 0) visit(schema.fields.slice(first, first + own), first);
    first += own;
  }
}

function readMask(schema: BehaviourSchema, reader: Reader): bigint {
  const mask = reader.wide(64);
  if (mask >> BigInt(schema.fields.length)) throw new WireError(`unknown fields in the mask of ${schema.name}`);
  return mask;
}

function has(mask: bigint, at: number): boolean {
  return ((mask >> BigInt(at)) & 1n) === 1n;
}
