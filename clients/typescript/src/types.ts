// Types of values.

import type { Collection } from "./collections.js";
import type { Reader, Writer } from "./wire.js";

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

/** Refuses a value of the program. */
export function fail(what: string, value: unknown): never {
  throw new RangeError(`${String(value)} is no ${what}`);
}
