// Types of values.

import type { Collection } from "./collections.js";
import { Reader, Writer } from "./wire.js";

/** Forms that a reader of behaviours reads without a call of the codec. */
export const enum Form {
  Other,
  Unsigned,
  Signed,
  Float,
}

/** Form of a type on the wire. `write` throws a `TypeError` or a `RangeError` for a value that the type cannot hold; its message begins with the place in the value. */
export interface Codec {
  read(reader: Reader): any;
  write(writer: Writer, value: any): void;
  /** Returns what decides about the order of keys; without it a key itself does. */
  rank?(value: any): any;
  form?: Form;
  /** Greatest number of an integer. */
  max?: number;
}

/** Type of a field. */
export interface Type extends Codec {
  /** Operations of a collection. */
  collection?: Collection;
  /** Form of the values of the page, where the server has another type. */
  values?: Codec;
  /** Returns whether a value since the last call does not fit the type of the page. */
  takeUnfit?(): boolean;
}

/** Value of a type that this client does not know. Its length, and all behind it, are unknown. */
export class Unreadable extends Error {}

/** Encoding chosen for a field: its name and parameters. */
export interface Encoding {
  name: string;
  parameters: number[];
}

/** Maker of a codec in an encoding chosen for the field. */
export type Make = (encoding?: Encoding) => Type;

/** Returns whether two values of a type are equal. Floats are equal by their bits. */
export function equal(a: any, b: any): boolean {
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return Object.is(a, b);
  if (a === b) return true;
  if (Array.isArray(a) || a instanceof Uint8Array) return a.length === b.length && a.every((it: any, at: number) => equal(it, b[at]));
  if (a instanceof Map || a instanceof Set) {
    if (a.size !== b.size) return false;
    const others = b[Symbol.iterator]();
    for (const it of a) if (!equal(it, others.next().value)) return false;
    return true;
  }
  for (const name in a) if (!(name in b) || !equal(a[name], b[name])) return false;
  for (const name in b) if (!(name in a)) return false;
  return true;
}

/** Returns the bytes of a value. `place` names it in the errors. */
export function bytesOf(type: Type, value: any, place: string): Uint8Array {
  const writer = new Writer();
  try {
    type.values?.write(new Writer(), value);
    type.write(writer, value);
  } catch (error) {
    throw within(place, error);
  }
  return writer.bytes;
}

/** Returns a copy of a value as the other end reads it. */
export function travelled(type: Type, value: any): any {
  if (value === undefined) return undefined;
  const copy = (codec: Codec): any => {
    const writer = new Writer();
    codec.write(writer, value);
    return codec.read(new Reader(writer.bytes));
  };
  if (!type.values) return copy(type);
  try {
    const read = copy(type);
    if (!type.takeUnfit?.()) return read;
  } catch {
    // The server has no such value. A prediction may have one for a while.
  }
  return copy(type.values);
}

/** Puts the place of a value in front of its error. */
export function within(place: string, error: unknown): unknown {
  if (error instanceof RangeError || error instanceof TypeError) error.message = place + error.message;
  return error;
}

/** Returns the text of an error. */
export function textOf(error: any): string {
  return error?.message ?? String(error);
}

function shown(value: unknown): string {
  const text = typeof value === "object" && value ? Object.prototype.toString.call(value) : String(value);
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}

/** Refuses a value beyond the range of its type. */
export function fail(what: string, value: unknown): never {
  throw new RangeError(`: ${shown(value)} is no ${what}`);
}

/** Refuses a value of another type of the language. */
export function demandType(type: string, what: string, value: unknown): void {
  demand(typeof value === type, what, value);
}

/** Refuses a value of another type. */
export function demand(isFit: boolean, what: string, value: unknown): void {
  if (!isFit) throw new TypeError(`: ${shown(value)} is no ${what}`);
}
