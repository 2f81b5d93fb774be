// Differences between the changes of an object, from record to record of a chunk: WIRE.md, section 10.

import { forEachEntry, forEachMessage, Kind } from "../messages.js";
import { Reader } from "../wire.js";
import { readItems } from "./record.js";

/** Most objects, by channel, with a former change. */
const MAX_OBJECTS = 2 ** 20;

/** Place of a change in the bytes of the chunk. */
interface Change {
  at: number;
  length: number;
}

/** Reader of the records of a chunk, one after another. */
export class Differences {
  /** Last change of an object on a channel. */
  private readonly last = new Map<number, Change>();

  /** Puts the changes of a record in the place of their differences. All records lie in one buffer. */
  restore(record: Uint8Array): void {
    const bytes = new Uint8Array(record.buffer);
    for (const { channel, messages } of readItems(record)) {
      const reader = new Reader(messages);
      forEachMessage(reader, (kind) => {
        if (kind === Kind.UpdateBatch) forEachEntry(reader, (id) => this.add(bytes, channel * 2 ** 32 + id, messages.byteOffset + reader.at, reader.left));
      });
    }
  }

  private add(bytes: Uint8Array, object: number, at: number, length: number): void {
    const former = this.last.get(object);
    if (!former) {
      if (this.last.size < MAX_OBJECTS) this.last.set(object, { at, length });
      return;
    }
    const both = Math.min(former.length, length);
    for (let index = 0; index < both; index++) bytes[at + index] += bytes[former.at + index];
    former.at = at;
    former.length = length;
  }
}
