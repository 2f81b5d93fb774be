// Types of values.

import type { Collection } from "./collections.js";
import { Reader, Writer } from "./wire.js";

/** Form of a type on the wire. `write` throws a `RangeError` for a value that the type cannot hold. */
export interface Codec {
  read(reader: Reader): any;
  write(writer: Writer, value: any): void;
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

/** Bytes of a value. */
function bytesOf(codec: Codec, value: any): Uint8Array {
  const writer = new Writer();
  codec.write(writer, value);
  return writer.bytes;
}

/** Returns whether two values have the same bytes. */
export function same(type: Type, a: any, b: any): boolean {
  const codec = type.values ?? type;
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return String(bytesOf(codec, a)) === String(bytesOf(codec, b));
}

/** Returns a copy of a value as the other end reads it. */
export function travelled(type: Type, value: any): any {
  if (value === undefined) return undefined;
  const copy = (codec: Codec): any => codec.read(new Reader(bytesOf(codec, value)));
  if (!type.values) return copy(type);
  try {
    const read = copy(type);
    if (!type.takeUnfit?.()) return read;
  } catch {
    // The server has no such value. A prediction may have one for a while.
  }
  return copy(type.values);
}

/** Refuses a value of the program. */
export function fail(what: string, value: unknown): never {
  throw new RangeError(`${String(value)} is no ${what}`);
}
