// Differences between the changes of an object, from record to record of a chunk: WIRE.md, section 10.

import { forEachEntry, forEachMessage, Kind } from "../messages.js";
import { Reader } from "../wire.js";
import { readItems } from "./record.js";

/** Most objects, by channel, with a former change. */
const MAX_OBJECTS = 2 ** 20;

/** Reader of the records of a chunk, one after another. */
export class Differences {
  /** Contents of the last change of an object on a channel. */
  private readonly last = new Map<number, Uint8Array>();

  /** Returns a record with its changes in the place of their differences. */
  restored(record: Uint8Array): Uint8Array {
    const bytes = record.slice();
    for (const { channel, messages } of readItems(bytes)) {
      const reader = new Reader(messages);
      forEachMessage(reader, (kind) => {
        if (kind === Kind.UpdateBatch) forEachEntry(reader, (id) => this.restore(channel * 2 ** 32 + id, reader.rest()));
      });
    }
    return bytes;
  }

  private restore(object: number, change: Uint8Array): void {
    const former = this.last.get(object);
    const length = Math.min(former?.length ?? 0, change.length);
    for (let at = 0; at < length; at++) change[at] += former![at];
    if (former || this.last.size < MAX_OBJECTS) this.last.set(object, change);
  }
}
