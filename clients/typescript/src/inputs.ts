// The inputs of this client, one for each tick of the server: WIRE.md, section 4, "Inputs". Times are in milliseconds.

import { type Clock, Slew } from "./clock.js";
import { type Ack, wasApplied } from "./headers.js";
import { Kind, message } from "./messages.js";
import { type Codec, travelled } from "./types.js";
import { Writer } from "./wire.js";
import type { Carrier } from "./writes.js";

/** Least number of ticks by which the newest input shall be ahead of the used one. */
const LEAD = 1;

/** Part of a tick by which a longer lead shrinks with each report. */
const SHRINK = 4;

/** Largest correction of the clock. */
const MOST_CORRECTION = 500;

/** Largest part of the deviation of round trips: a new path looks like a jitter. */
const MOST_DEVIATION = 50;

/** Most inputs of a message, and of the ticks after a pause. */
const MAX_INPUTS = 32;
const MAX_BEGUN = 16;

/** Inputs that are kept for repeated steps. */
const MAX_KEPT = 128;

/** Flag of a first input that is relative to the one before. */
const RELATIVE = 128;

/** Input of a tick: its value as it travels, and its bytes. */
export interface Input {
  tick: number;
  value: any;
  bytes: Uint8Array;
}

/** Time of the inputs: ahead of the server's, so that an input arrives just before its tick. */
class InputClock {
  private readonly slew = new Slew(20);
  private correction = 0;
  /** Last tick before the clock has followed the last correction. */
  private followed = 0;
  private follows = false;

  constructor(private readonly clock: Clock) {}

  private get tickLength(): number {
    return 1000 / this.clock.tickRate;
  }

  /** Returns the tick at an own time, with its fraction; `undefined` before the first answer to a ping. */
  advance(now: number): number | undefined {
    const { ahead, roundTrip, deviation } = this.clock;
    if (ahead === undefined || roundTrip === undefined) return undefined;
    const lead = ahead + roundTrip / 2 + Math.min(2 * deviation, MOST_DEVIATION) + this.tickLength + this.correction;
    const time = this.slew.at(now, lead);
    const isFollowing = Math.abs(now + lead - time) >= this.tickLength / 8;
    const tick = time / this.tickLength;
    if (this.follows && !isFollowing) this.followed = tick;
    this.follows = isFollowing;
    return tick;
  }

  /** Corrects the clock by the lead of the newest input in a used tick, unless it was that of an earlier correction. */
  correct(tick: number, lead: number): void {
    if (this.follows || tick <= this.followed) return;
    const missing = LEAD - lead;
    const step = missing > 0 ? missing : Math.max(missing, -1) / SHRINK;
    this.correction = Math.min(Math.max(this.correction + step * this.tickLength, -MOST_CORRECTION), MOST_CORRECTION);
  }
}

/** Inputs of one connection. */
export class Inputs {
  /** Moment of the input clock in ticks, with its fraction. */
  moment = 0;
  /** Inputs of successive ticks, the newest one at the end. */
  readonly list: Input[] = [];
  private readonly clock: InputClock;
  /** The input of the ticks to come. */
  private held: Omit<Input, "tick"> | undefined;
  /** Newest tick whose input the server has, or receives by the stream. */
  private known = 0;
  /** Undecided datagrams. */
  private sent: { sequence: number; newest: number }[] = [];

  constructor(
    clock: Clock,
    private readonly carrier: Carrier,
  ) {
    this.clock = new InputClock(clock);
  }

  /** Last tick that has begun; `undefined` before the first one. */
  get tick(): number | undefined {
    return this.list.at(-1)?.tick;
  }

  /** Sets the input of the ticks to come. */
  hold(type: Codec, value: any): void {
    const writer = new Writer();
    type.write(writer, value);
    this.held = { value: travelled(type, value), bytes: writer.bytes };
  }

  /** Returns the inputs of the ticks that have begun since the last call: of the last ones after a pause. */
  advance(now: number): Input[] {
    const moment = this.clock.advance(now);
    if (moment === undefined || !this.held) return [];
    this.moment = Math.max(this.moment, moment);
    const newest = Math.floor(this.moment);
    const next = (this.tick ?? newest - 1) + 1;
    const first = Math.max(next, newest + 1 - MAX_BEGUN);
    // The inputs of a message are of successive ticks.
    if (first > next) this.list.length = 0;
    const begun = Array.from({ length: Math.max(newest + 1 - first, 0) }, (_, index) => ({ tick: first + index, ...this.held! }));
    this.list.push(...begun);
    this.list.splice(0, this.list.length - MAX_KEPT);
    return begun;
  }

  /** Handles an InputState. */
  report(tick: number, lead: number): void {
    this.clock.correct(tick, lead);
  }

  /** Handles an acknowledgement. `last` is the newest sequence of a sent datagram. */
  acknowledge(ack: Ack, last: number): void {
    this.sent = this.sent.filter(({ sequence, newest }) => {
      const isApplied = wasApplied(ack, last, sequence);
      if (isApplied) this.known = Math.max(this.known, newest);
      return isApplied === undefined;
    });
  }

  /**
   * Sends the inputs that the server lacks: in a datagram all unacknowledged ones, on the stream the new ones. `channel` is an unreliable one, or
   * below 0; `view` is the message before them.
   */
  send(channel: number, view: Uint8Array): void {
    const newest = this.tick;
    if (newest === undefined || newest <= this.known) return;
    for (let count = channel < 0 || !this.carrier.room ? 0 : MAX_INPUTS; count >= 1; count >>= 1) {
      const bytes = Uint8Array.from([...view, ...this.message(count)]);
      if (bytes.length > this.carrier.room) continue;
      this.sent.push({ sequence: this.carrier.sendDatagram(channel, bytes), newest });
      return;
    }
    this.carrier.sendMessage(Uint8Array.from([...view, ...this.message(MAX_INPUTS)]));
    this.known = newest;
  }

  /** Returns Inputs with the newest unknown ones, at most `count`. */
  private message(count: number): Uint8Array {
    const inputs = this.list.slice(-count).filter((it) => it.tick > this.known);
    const before = this.list.find((it) => it.tick === this.known && it.tick + 1 === inputs[0].tick);
    const previous = (index: number): Uint8Array | undefined => (index ? inputs[index - 1] : before)?.bytes;
    const changed = inputs.filter((it, index) => String(it.bytes) !== String(previous(index)));
    return message(Kind.Inputs, (writer) => {
      writer.packed(inputs.at(-1)!.tick);
      writer.u8(inputs.length | (before ? RELATIVE : 0));
      writer.packed(changed.reduce((mask, it) => mask + 2 ** inputs.indexOf(it), 0));
      for (const it of changed) writeDifference(writer, it.bytes, previous(inputs.indexOf(it)) ?? new Uint8Array());
    });
  }
}

/** Writes the bytes in which an input differs from its predecessor. */
function writeDifference(writer: Writer, bytes: Uint8Array, previous: Uint8Array): void {
  const differs = Array.from(bytes, (byte, at) => byte !== previous[at]);
  writer.packed(bytes.length);
  for (let from = 0; from < bytes.length; from += 8) {
    writer.u8(differs.slice(from, from + 8).reduce((mask, it, bit) => mask | (it ? 1 << bit : 0), 0));
  }
  bytes.forEach((byte, at) => differs[at] && writer.u8(byte));
}
