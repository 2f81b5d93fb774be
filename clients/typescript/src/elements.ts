// Sequences, sets and maps: their number of elements, and the elements.

import { ascending, rankOf, writeAt } from "./keys.js";
import { type Codec, demand } from "./types.js";
import type { Reader, Writer } from "./wire.js";

/** Most elements without bytes. */
const MAX_EMPTY = 1024;

/** Elements behind their number. */
function elements(read: (reader: Reader) => any, write: (writer: Writer, element: any, index: number) => void, from: (all: any[]) => any, take: (value: any) => any[]): Codec {
  return {
    read: (reader) => from(Array.from({ length: reader.count() }, () => read(reader))),
    write(writer, value) {
      const all = take(value);
      writer.varint(all.length);
      const before = writer.length;
      all.forEach((element, index) => write(writer, element, index));
      if (all.length > Math.max(writer.length - before, MAX_EMPTY)) throw new RangeError(`: ${all.length} elements without bytes, beyond ${MAX_EMPTY}`);
    },
  };
}

export function sequence(of: Codec): Codec {
  const take = (value: any): any[] => {
    demand(Array.isArray(value), "array", value);
    return value;
  };
  const codec = elements((reader) => of.read(reader), (writer, it, index) => writeAt(of, writer, it, `[${index}]`), (all) => all, take);
  return { ...codec, rank: (value) => value.map((it: any) => rankOf(of, it)) };
}

/** Set whose elements ascend on the wire. */
export function ordered(of: Codec): Codec {
  const take = (value: any): any[] => {
    demand(value instanceof Set, "Set", value);
    return ascending([...value], of, (it) => it);
  };
  const codec = elements((reader) => of.read(reader), (writer, it) => writeAt(of, writer, it, `{${it}}`), (all) => new Set(all), take);
  return { ...codec, rank: (value) => take(value).map((it) => rankOf(of, it)) };
}

/** Map whose keys ascend on the wire. */
export function map(keys: Codec, values: Codec): Codec {
  const take = (value: any): any[] => {
    demand(value instanceof Map, "Map", value);
    return ascending([...value], keys, ([key]) => key);
  };
  const codec = elements(
    (reader) => [keys.read(reader), values.read(reader)],
    (writer, [key, it]) => {
      writeAt(keys, writer, key, `{${key}}`);
      writeAt(values, writer, it, `[${key}]`);
    },
    (all) => new Map(all),
    take,
  );
  return { ...codec, rank: (value) => take(value).map(([key, it]) => [rankOf(keys, key), rankOf(values, it)]) };
}
