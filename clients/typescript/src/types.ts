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
export function same(codec: Codec, a: any, b: any): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return String(bytesOf(codec, a)) === String(bytesOf(codec, b));
}

/** Returns a copy of a value as the other end reads it. */
export function travelled(codec: Codec, value: any): any {
  return value === undefined ? undefined : codec.read(new Reader(bytesOf(codec, value)));
}

/** Refuses a value of the program. */
export function fail(what: string, value: unknown): never {
  throw new RangeError(`${String(value)} is no ${what}`);
}
