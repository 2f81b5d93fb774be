// Keys of maps and elements of sets, in the order of the wire.

import { type Codec, within } from "./types.js";
import { Writer } from "./wire.js";

/** Writes a part of a value, which its errors name. */
export function writeAt(codec: Codec, writer: Writer, value: any, place: string): void {
  try {
    codec.write(writer, value);
  } catch (error) {
    throw within(place, error);
  }
}

/** Returns what decides about the order of a key. */
export function rankOf(codec: Codec, key: any): any {
  return codec.rank ? codec.rank(key) : key;
}

/** Sorts entries by their keys, each of which is there once. */
export function ascending<T>(all: T[], keys: Codec, keyOf: (entry: T) => any): T[] {
  const ranked = all.map((entry) => {
    const key = keyOf(entry);
    const writer = new Writer();
    // A key that does not fit has no rank.
    writeAt(keys, writer, key, `{${key}}`);
    return { entry, rank: keys.rank || typeof key !== "object" ? rankOf(keys, key) : [...writer.bytes] };
  });
  ranked.sort((a, b) => compare(a.rank, b.rank));
  for (let at = 1; at < ranked.length; at++) {
    if (!compare(ranked[at - 1].rank, ranked[at].rank)) throw new RangeError(`: the key ${keyOf(ranked[at].entry)} is there twice`);
  }
  return ranked.map(({ entry }) => entry);
}

function compare(a: any, b: any): number {
  if (Array.isArray(a)) {
    for (let at = 0; at < Math.min(a.length, b.length); at++) {
      const order = compare(a[at], b[at]);
      if (order) return order;
    }
    return a.length - b.length;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}
