// Messages in packets: WIRE.md, section 4.

import { type Reader, WireError, Writer } from "./wire.js";

/** Numbers of the messages that this client reads or writes. */
export const enum Kind {
  ObjectDestroy = 1,
  Owner = 4,
  SpawnFinished = 12,
  ObjectHide = 13,
  LocalClientAuthority = 15,
  Session = 19,
  Resync = 20,
  Schema = 21,
  UpdateBatch = 22,
  SpawnBatch = 23,
  Long = 24,
  Call = 25,
  OwnerWrite = 26,
  Ping = 27,
  Pong = 28,
  SetParent = 29,
  OwnerState = 30,
  Void = 31,
  Connect = 32,
  Disconnect = 33,
  Ready = 35,
  NotReady = 36,
  Inputs = 39,
  InputState = 40,
  View = 41,
  Echo = 42,
  CommandRefused = 43,
}

/** First number of the messages of a program. */
export const FIRST_PROGRAM_MESSAGE = 48;

/** Bytes in front of a payload. */
export const HEAD = 4;

/** Longest payload of a message of this client: a server takes packets of 64 KiB, with their headers. */
export const MAX_OWN = 65_400;

/** Longest payload of a message of the server. */
const MAX_PAYLOAD = 16 * 1024 * 1024;

/** Visits the messages of a packet. The reader has the payload of each alone. */
export function forEachMessage(reader: Reader, visit: (kind: number) => void): void {
  while (reader.left > 0) {
    let length = reader.u16();
    let kind = reader.i16();
    if (kind === Kind.Long) {
      if (length !== 6) throw new WireError(`a long head of ${length} bytes`);
      [length, kind] = [reader.u32(), reader.i16()];
      if (kind === Kind.Long || length > MAX_PAYLOAD) throw new WireError(`a long message ${kind} of ${length} bytes`);
    }
    const end = reader.enter(length);
    visit(kind);
    reader.leave(end);
  }
}

/** Visits the entries of a batch: WIRE.md, section 6. The reader has the contents of each alone. */
export function forEachEntry(reader: Reader, visit: (id: number) => void): void {
  for (let id = 0; reader.left > 0; ) {
    const head = reader.long();
    id += Math.floor(head / 8) + 1;
    if (id > 0xffffffff) throw new WireError(`the id ${id}`);
    const code = head % 8;
    const end = reader.enter(code < 7 ? code : reader.varint() + 7);
    visit(id);
    reader.leave(end);
  }
}

/** Returns the bytes of a message. */
export function message(kind: number, write?: (writer: Writer) => void): Uint8Array {
  const payload = new Writer();
  write?.(payload);
  const bytes = payload.bytes;
  if (bytes.length > MAX_OWN) throw new RangeError(`a message of ${bytes.length} bytes, beyond ${MAX_OWN}`);
  const writer = new Writer();
  writer.u16(bytes.length);
  writer.u16(kind);
  writer.put(bytes);
  return writer.bytes;
}
