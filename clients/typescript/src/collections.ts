// Collections and their operations: WIRE.md, section 3.

import { KEEP } from "./keep.js";
import { map, ordered, sequence } from "./elements.js";
import type { Codec } from "./types.js";
import { type Reader, WireError, Writer } from "./wire.js";

/** Operation of a collection, as hooks receive it. */
export interface Operation {
  kind: "add" | "clear" | "insert" | "removeAt" | "set" | "splice" | "remove" | "put";
  /** Position in a list. */
  index?: number;
  /** Key of a dictionary. */
  key?: any;
  /** Element or value. */
  value?: any;
  /** Number of elements that a list has lost from the index on. */
  removed?: number;
  /** Elements in their place. */
  inserted?: any[];
}

/** Field whose changes travel as operations. Its values are arrays, maps and sets that stay as they are. */
export interface Collection extends Codec {
  kind: "list" | "dictionary" | "set";
  /** Returns a collection of this kind with other forms of its elements, or of its keys (0) and values (1). */
  remade(other: (part: Codec, at: number) => Codec): Collection;
  /** Reads one operation and applies it to a fresh copy of the value. None for a key that does not fit the type of the page. */
  apply(reader: Reader, value: any, kind: number, position: number): Operation | undefined;
  /** Returns a copy of a value. */
  copy(value: any): any;
  /** Returns the value of the page from one after operations. Such a field has another kind on the page, and tells no operations. */
  settle?(value: any): any;
}

/** Reads a delta. Without operations it is the whole collection. */
export function readDelta(collection: Collection, reader: Reader, before: any): { value: any; operations: Operation[] } {
  const count = reader.count();
  if (count === 0) return { value: collection.read(reader), operations: [] };
  // A copy moves many elements at once.
  reader.visit((before.size ?? before.length) >> 4);
  const value = collection.copy(before);
  const operations: Operation[] = [];
  for (let left = count; left > 0; left--) {
    const head = reader.varint();
    const operation = collection.apply(reader, value, head & 7, Math.floor(head / 8));
    if (operation) operations.push(operation);
  }
  return collection.settle ? { value: collection.settle(value), operations: [] } : { value, operations };
}

/** Keys of the last collection whose keys are objects, by their bytes. */
let known: { of: any; keys: Map<string, any> } | undefined;

/** Reads a key. Returns the equal key in a map or set, or the key itself. Keys may be objects. */
function readKey(codec: Codec, reader: Reader, of: Map<any, any> | Set<any>): any {
  const from = reader.at;
  const key = codec.read(reader);
  if (typeof key !== "object" || !key) return key;
  if (known?.of !== of) {
    reader.visit(of.size);
    known = { of, keys: new Map([...of.keys()].map((it) => [idOf(codec, it), it])) };
  }
  const id = String(reader.bytes.subarray(from, reader.at));
  if (!known.keys.has(id)) known.keys.set(id, key);
  return known.keys.get(id);
}

function idOf(codec: Codec, key: any): string {
  const writer = new Writer();
  codec.write(writer, key);
  return String(writer.bytes);
}

/** Reads keys, each of them once, with the value behind each. */
function readKeys(codec: Codec, reader: Reader, take: (key: any) => void): void {
  const seen = new Set();
  for (let left = reader.count(); left > 0; left--) {
    const from = reader.at;
    const key = codec.read(reader);
    const id = key === KEEP ? {} : typeof key === "object" ? String(reader.bytes.subarray(from, reader.at)) : key;
    if (seen.has(id)) throw new WireError("a repeated key");
    seen.add(id);
    take(key);
  }
}

/** Appends elements, in any number. */
function append(value: any[], elements: any[]): void {
  for (const element of elements) value.push(element);
}

/** List. `whole` is the form of an element among several: bytes are as they are. */
export function list(element: Codec, whole = element): Collection {
  const { read, write } = sequence(whole);
  return {
    kind: "list",
    remade: (other) => list(other(element, 0), other(whole, 0)),
    read,
    write,
    copy: (value) => [...value],
    apply(reader, value: any[], kind, index) {
      const within = (limit: number): void => {
        reader.visit((value.length - index) >> 8);
        if (index >= limit) throw new WireError(`operation ${kind} at ${index} of ${value.length} elements`);
      };
      switch (kind) {
        case 0:
          value.push(element.read(reader));
          return { kind: "add", index: value.length - 1, value: value.at(-1) };
        case 1:
          value.length = 0;
          return { kind: "clear" };
        case 2:
          within(value.length);
          value.splice(index, 0, element.read(reader));
          return { kind: "insert", index, value: value[index] };
        case 4:
          within(value.length);
          return { kind: "removeAt", index, value: value.splice(index, 1)[0] };
        case 5:
          within(value.length);
          value[index] = element.read(reader);
          return { kind: "set", index, value: value[index] };
        case 6: {
          const removed = reader.varint();
          reader.visit((value.length - index) >> 8);
          if (index + removed > value.length) throw new WireError(`splice of ${removed} at ${index} of ${value.length}`);
          const inserted: any[] = read(reader);
          const tail = value.splice(index + removed);
          value.length = index;
          append(value, inserted);
          append(value, tail);
          return { kind: "splice", index, removed, inserted };
        }
        case 7:
          return removeRuns(reader, value, index);
        default:
          throw new WireError(`unknown operation ${kind} of a list`);
      }
    },
  };
}

/** Removes runs of elements; elements behind the last run stay. */
function removeRuns(reader: Reader, value: any[], runs: number): Operation {
  const kept: any[] = [];
  let at = 0;
  if (runs === 0) throw new WireError("no runs");
  for (let left = runs; left > 0; left--) {
    const [keep, remove] = [reader.varint(), reader.varint()];
    if (remove === 0 || at + keep + remove > value.length) throw new WireError(`a run of ${keep} and ${remove} elements`);
    append(kept, value.slice(at, at + keep));
    at += keep + remove;
  }
  const removed = at - kept.length;
  append(kept, value.slice(at));
  value.length = 0;
  append(value, kept);
  return { kind: "remove", removed };
}

export function dictionary(key: Codec, element: Codec): Collection {
  return {
    kind: "dictionary",
    remade: (other) => dictionary(other(key, 0), other(element, 1)),
    read(reader) {
      const value = new Map();
      readKeys(key, reader, (it) => value.set(it, element.read(reader)));
      value.delete(KEEP);
      return value;
    },
    write: map(key, element).write,
    copy: (value) => new Map(value),
    apply(reader, value: Map<any, any>, kind) {
      if (kind === 1) {
        value.clear();
        return { kind: "clear" };
      }
      const it = readKey(key, reader, value);
      if (kind === 0) {
        const of = element.read(reader);
        if (it === KEEP) return undefined;
        value.set(it, of);
        return { kind: "put", key: it, value: of };
      }
      if (kind !== 2) throw new WireError(`unknown operation ${kind} of a dictionary`);
      if (it === KEEP) return undefined;
      const removed = value.get(it);
      if (!value.delete(it)) throw new WireError("a missing key");
      return { kind: "remove", key: it, value: removed };
    },
  };
}

export function set(element: Codec): Collection {
  return {
    kind: "set",
    remade: (other) => set(other(element, 0)),
    read(reader) {
      const value = new Set();
      readKeys(element, reader, (it) => value.add(it));
      value.delete(KEEP);
      return value;
    },
    write: ordered(element).write,
    copy: (value) => new Set(value),
    apply(reader, value: Set<any>, kind) {
      if (kind === 1) {
        value.clear();
        return { kind: "clear" };
      }
      const it = readKey(element, reader, value);
      if (it === KEEP) return undefined;
      if (kind === 0 && !value.has(it)) {
        value.add(it);
        return { kind: "add", value: it };
      }
      if (kind !== 2 || !value.delete(it)) throw new WireError(`operation ${kind} of a set does not fit`);
      return { kind: "remove", value: it };
    },
  };
}
