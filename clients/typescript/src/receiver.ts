// Received datagrams and their acknowledgements: WIRE.md, section 7.

import type { Ack } from "./headers.js";

/** Sequences below the newest one that an acknowledgement names. */
const MASK = 64n;
const ALL = (1n << MASK) - 1n;

/** Datagrams after which an acknowledgement does not wait. */
const URGENT = 16;

/** Numbers of the received packets of one connection. */
export class Receiver {
  /** Highest applied sequence. */
  newest = 0;
  /** Number of the handled packets of the stream. */
  handled = 0;
  /** Highest tick of an applied packet. */
  tick = 0;
  /** Bit i is set if the sequence `newest - 1 - i` was applied. */
  private applied = 0n;
  private unreported = 0;
  private hasDatagrams = false;
  private isOwed = false;

  /** Returns whether a sequence was applied, or is too old for the mask. */
  isKnown(sequence: number): boolean {
    const back = this.newest - sequence;
    if (back < 0) return false;
    return back === 0 || sequence <= 0 || BigInt(back) > MASK || ((this.applied >> BigInt(back - 1)) & 1n) === 1n;
  }

  /** Marks a datagram as applied. */
  mark(sequence: number): void {
    const step = sequence - this.newest;
    if (step > 0) {
      const shift = BigInt(Math.min(step, 65));
      this.applied = (((this.applied << 1n) | (this.newest ? 1n : 0n)) << (shift - 1n)) & ALL;
      this.newest = sequence;
    } else this.applied |= 1n << BigInt(-step - 1);
    this.unreported++;
    this.hasDatagrams = true;
    this.isOwed = true;
  }

  /** Counts a handled packet of the stream. */
  handle(): void {
    this.handled++;
    this.isOwed = true;
  }

  /** Whether an acknowledgement is due. Before the first datagram the server expects none. */
  get owes(): boolean {
    return this.hasDatagrams && this.isOwed;
  }

  /** Returns whether all datagrams between two sequences, inclusive, were applied. Those too old for the mask count as applied. */
  hasAll(first: number, last: number): boolean {
    if (last < first) return true;
    if (last > this.newest) return false;
    const bits = BigInt(Math.min(Math.max(this.newest - first, 0), 64));
    return (this.missing & ((1n << bits) - 1n)) === 0n;
  }

  get isUrgent(): boolean {
    return this.unreported >= URGENT;
  }

  /** Takes the acknowledgement, if one is due. */
  takeAck(): Ack | undefined {
    if (!this.owes) return undefined;
    this.unreported = 0;
    this.isOwed = false;
    return { newest: this.newest, handled: this.handled, missing: this.missing };
  }

  private get missing(): bigint {
    const existing = BigInt(Math.min(Math.max(this.newest - 1, 0), 64));
    return ~this.applied & ((1n << existing) - 1n);
  }
}
