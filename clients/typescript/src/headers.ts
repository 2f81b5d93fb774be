// Packet headers and acknowledgements: WIRE.md, section 7.

import { type Reader, WireError, type Writer } from "./wire.js";

const SEQ_OR_TICK = 0x01;
const WIDE_OR_END = 0x02;
const AFTER_OR_DECIDED = 0x04;
const PARTS = 0x08;
const ACK = 0x10;
const PARTIAL = 0x20;
const OWED = 0x40;
const SETTLED_OR_SENT = 0x80;

/** Acknowledgement of datagrams and packets of the stream. */
export interface Ack {
  /** Low 16 bits of the newest applied sequence, or none. */
  newest: number | undefined;
  /** Low 16 bits of the number of handled packets of the stream. */
  handled: number;
  /** Bit i is set if the sequence `newest - 1 - i` was not applied. */
  missing: bigint;
}

/** Header of a packet of the stream. */
export interface StreamHeader {
  /** Steps of the tick since the former packet. */
  step: number;
  /** Whether it is the last packet of its update. */
  isLast: boolean;
  /** Number of the datagrams of its tick. */
  datagrams: number;
  /** Low 16 bits of the number of datagrams sent before. */
  sent: number | undefined;
  /** Whether the fields that these datagrams have lost were sent again. */
  isDecided: boolean;
  isPartial: boolean;
  isOwed: boolean;
  ack?: Ack;
}

/** Header of a datagram. */
export interface DatagramHeader {
  /** Low 16 bits; `undefined` for an acknowledgement alone. */
  sequence: number | undefined;
  tick: number;
  /** Whether the tick has all bits. */
  isWide: boolean;
  /** Number of preceding packets of the stream, low 16 bits. */
  after: number | undefined;
  /** Index among the datagrams of its tick, and their number. */
  index: number;
  count: number;
  /** Low 16 bits of a sequence: the fields that the datagrams below it have lost were sent again. */
  settled: number | undefined;
  /** Whether changes of its tick were withheld from this client. */
  isPartial: boolean;
  /** Whether this client lacks changes after its update. */
  isOwed: boolean;
  ack?: Ack;
}

/** Returns the number that ends in these 16 bits and is nearest to the expected one. */
export function extend(near: number, low: number): number {
  const nearest = near + (((low - near) << 16) >> 16);
  return nearest < 0 ? nearest + 0x10000 : nearest;
}

/** Returns whether a datagram was applied by the other end; `undefined` if it is newer than the acknowledgement. `last` is the newest sent sequence. */
export function wasApplied({ newest, missing }: Ack, last: number, sequence: number): boolean | undefined {
  if (newest === undefined) return undefined;
  const back = last - ((last - newest) & 0xffff) - sequence;
  if (back < 0) return undefined;
  return back === 0 || (back <= 64 && !((missing >> BigInt(back - 1)) & 1n));
}

function readAck(reader: Reader): Ack {
  const [newest, handled, form] = [reader.u16(), reader.u16(), reader.u8()];
  const isNothing = (form & 0x10) !== 0;
  if (form & ~0x1f || (form & 15) > 8 || (isNothing && (form & 15 || newest))) throw new WireError("an acknowledgement of no form");
  return { newest: isNothing ? undefined : newest, handled, missing: reader.low(form & 15) };
}

function writeAck(writer: Writer, ack: Ack): void {
  writer.u16((ack.newest ?? 0) & 0xffff);
  writer.u16(ack.handled & 0xffff);
  if (ack.newest === undefined) return writer.u8(0x10);
  const bytes = ack.missing ? Math.ceil(ack.missing.toString(2).length / 8) : 0;
  writer.u8(bytes);
  writer.low(ack.missing, bytes);
}

export function readStreamHeader(reader: Reader): StreamHeader {
  const flags = reader.u8();
  const isEarly = flags & (PARTIAL | OWED | SETTLED_OR_SENT) && !(flags & WIDE_OR_END);
  if (isEarly || (flags & AFTER_OR_DECIDED && !(flags & SETTLED_OR_SENT))) throw new WireError(`a header with the flags ${flags}`);
  const step = flags & SEQ_OR_TICK ? reader.varint() : 0;
  const datagrams = flags & PARTS ? reader.u8() : 0;
  if ((flags & SEQ_OR_TICK && !step) || (flags & PARTS && !datagrams)) throw new WireError("a header with a 0");
  const sent = flags & SETTLED_OR_SENT ? reader.u16() : undefined;
  return {
    step,
    isLast: (flags & WIDE_OR_END) !== 0,
    datagrams,
    sent,
    isDecided: (flags & AFTER_OR_DECIDED) !== 0,
    isPartial: (flags & PARTIAL) !== 0,
    isOwed: (flags & OWED) !== 0,
    ack: flags & ACK ? readAck(reader) : undefined,
  };
}

export function writeStreamHeader(writer: Writer, step: number, ack: Ack | undefined): void {
  writer.u8((step ? SEQ_OR_TICK : 0) | WIDE_OR_END | (ack ? ACK : 0));
  if (step) writer.varint(step);
  if (ack) writeAck(writer, ack);
}

export function readDatagramHeader(reader: Reader): DatagramHeader {
  const flags = reader.u8();
  const isSent = (flags & SEQ_OR_TICK) !== 0;
  if (!isSent && flags !== ACK) throw new WireError(`a header with the flags ${flags}`);
  const sequence = isSent ? reader.u16() : undefined;
  const isWide = (flags & WIDE_OR_END) !== 0;
  const tick = !isSent ? 0 : isWide ? reader.u32() : reader.u16();
  const after = flags & AFTER_OR_DECIDED ? reader.u16() : undefined;
  const [index, count] = flags & PARTS ? [reader.u8(), reader.u8()] : [0, 1];
  if (index >= count) throw new WireError("an index beyond the number of datagrams");
  const settled = flags & SETTLED_OR_SENT ? reader.u16() : undefined;
  const [isPartial, isOwed] = [(flags & PARTIAL) !== 0, (flags & OWED) !== 0];
  return { sequence, tick, isWide, after, index, count, settled, isPartial, isOwed, ack: flags & ACK ? readAck(reader) : undefined };
}

/** Writes the header of a datagram, whose sequence and tick are missing in an acknowledgement alone. */
export function writeDatagramHeader(writer: Writer, sent: { sequence: number; tick: number } | undefined, ack: Ack | undefined): void {
  writer.u8((sent ? SEQ_OR_TICK | WIDE_OR_END : 0) | (ack ? ACK : 0));
  if (sent) {
    writer.u16(sent.sequence & 0xffff);
    writer.u32(sent.tick);
  }
  if (ack) writeAck(writer, ack);
}
