// Deltas that later records of a jump replace: a jump passes over them.

import { forEachEntry, forEachMessage, Kind } from "../messages.js";
import type { BehaviourSchema, Prefab, Schema } from "../schema.js";
import { Unreadable } from "../types.js";
import { Reader, WireError, Writer } from "../wire.js";
import type { TickRecord } from "./record.js";

/** Fields of a class of a behaviour, which share a mask. */
interface Block {
  schema: BehaviourSchema;
  first: number;
  end: number;
  /** Collections in the halves of the mask: their operations build on the deltas before. */
  low: number;
  high: number;
}

/** Deltas of an object on a channel. */
class Deltas {
  /** Fields that later deltas have, by block: halves of its mask. */
  readonly low: number[];
  readonly high: number[];

  constructor(readonly blocks: Block[]) {
    this.low = blocks.map(() => 0);
    this.high = blocks.map(() => 0);
  }

  /** Reads the delta before those that were read. Returns whether they have all of its fields. */
  isReplaced(reader: Reader): boolean {
    const { blocks, low, high } = this;
    if (blocks.length > 1 && !arePassed(blocks, reader)) return false;
    let isReplaced = true;
    for (let index = 0; index < blocks.length; index++) {
      const lower = reader.halves();
      if (lower & ~low[index] || reader.high & ~high[index]) isReplaced = false;
      low[index] |= lower & ~blocks[index].low;
      high[index] |= reader.high & ~blocks[index].high;
      if (index < blocks.length - 1) passValues(blocks[index], lower, reader.high, reader);
    }
    return isReplaced;
  }
}

/** Finder of the deltas in a list of records that its later records replace. */
export class Replaced {
  /** Prefabs by object; `undefined` for an id of two prefabs. */
  private readonly prefabs = new Map<number, Prefab | undefined>();
  /** Deltas by channel and object; `undefined` for an object whose deltas are not replaced. */
  private readonly channels: Map<number, Deltas | undefined>[] = [];

  constructor(private readonly schema: Schema, objects: Iterable<{ id: number; prefab: Prefab }>) {
    for (const { id, prefab } of objects) this.prefabs.set(id, prefab);
  }

  /** Removes the replaced deltas from records. */
  remove(records: readonly TickRecord[]): void {
    for (const { items } of records) for (const { messages } of items) this.notePrefabs(new Reader(messages));
    for (let at = records.length - 1; at >= 0; at--) {
      const { items } = records[at];
      for (let index = items.length - 1; index >= 0; index--) items[index].messages = this.rest(items[index].messages, items[index].channel);
    }
  }

  private notePrefabs(reader: Reader): void {
    forEachMessage(reader, (kind) => {
      if (kind !== Kind.SpawnBatch) return;
      forEachEntry(reader, (id) => {
        const prefab = this.schema.prefabs[Math.floor(reader.varint() / 8)];
        this.prefabs.set(id, this.prefabs.has(id) && this.prefabs.get(id) !== prefab ? undefined : prefab);
      });
    });
  }

  /** Returns the messages of an item without the deltas that are replaced. */
  private rest(messages: Uint8Array, channel: number): Uint8Array {
    const rest = new Writer();
    let from = 0;
    const reader = new Reader(messages);
    forEachMessage(reader, (kind) => {
      const { end } = reader;
      if (kind !== Kind.UpdateBatch || !this.writeRest(reader, channel, rest)) rest.put(messages.subarray(from, end));
      from = end;
    });
    return rest.bytes;
  }

  /** Writes an UpdateBatch without the deltas that are replaced. Returns `false` if it has none. */
  private writeRest(reader: Reader, channel: number, rest: Writer): boolean {
    const left: [id: number, from: number, end: number][] = [];
    let count = 0;
    forEachEntry(reader, (id) => {
      const { at } = reader;
      count++;
      if (!this.isReplaced(id, channel, reader)) left.push([id, at, reader.end]);
    });
    if (left.length === count) return false;
    if (!left.length) return true;
    const entries = new Writer();
    let last = 0;
    for (const [id, from, end] of left) {
      const length = end - from;
      entries.varint((id - last - 1) * 8 + Math.min(length, 7));
      if (length >= 7) entries.varint(length - 7);
      entries.put(reader.bytes.subarray(from, end));
      last = id;
    }
    const { bytes } = entries;
    // The head of a long message.
    rest.u16(6);
    rest.u16(Kind.Long);
    rest.u32(bytes.length);
    rest.u16(Kind.UpdateBatch);
    rest.put(bytes);
    return true;
  }

  private isReplaced(id: number, channel: number, reader: Reader): boolean {
    const objects = (this.channels[channel] ??= new Map());
    let deltas = objects.get(id);
    if (deltas) return deltas.isReplaced(reader);
    if (objects.has(id)) return false;
    const prefab = this.prefabs.get(id);
    const behaviours = prefab?.behaviours.filter((it) => it.channel === channel) ?? [];
    // An optional behaviour has a mask more, and fields that come and go.
    const isPlain = prefab && !behaviours.some((it) => it.isOptional);
    deltas = isPlain ? new Deltas(behaviours.flatMap(classesOf)) : undefined;
    objects.set(id, deltas);
    // The last delta of an object stays, also one without fields.
    deltas?.isReplaced(reader);
    return false;
  }
}

function classesOf(schema: BehaviourSchema): Block[] {
  let end = 0;
  return schema.classes.filter((own) => own > 0).map((own) => {
    const block: Block = { schema, first: end, end: (end += own), low: 0, high: 0 };
    for (let at = block.first; at < end; at++) {
      if (schema.fields[at].type.collection) at < 32 ? (block.low |= 1 << at) : (block.high |= 1 << (at - 32));
    }
    return block;
  });
}

/** Returns whether the values of a delta are readable: the play of an unreadable delta tells. */
function arePassed(blocks: Block[], reader: Reader): boolean {
  const { at } = reader;
  try {
    for (const block of blocks) {
      const low = reader.halves();
      passValues(block, low, reader.high, reader);
    }
    reader.at = at;
    return true;
  } catch (error) {
    if (error instanceof WireError || error instanceof Unreadable) return false;
    throw error;
  }
}

function passValues({ schema, first, end }: Block, low: number, high: number, reader: Reader): void {
  for (let at = first; at < end; at++) {
    if (!((at < 32 ? low >>> at : high >>> (at - 32)) & 1)) continue;
    const { type } = schema.fields[at];
    if (type.collection) throw new Unreadable();
    type.read(reader);
  }
}
