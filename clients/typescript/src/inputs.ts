// The inputs of this client, one for each tick of the server: WIRE.md, section 4, "Inputs". Times are in milliseconds.

import { type Clock, Slew } from "./clock.js";
import { type Ack, wasApplied } from "./headers.js";
import { Kind, message } from "./messages.js";
import { bytesOf, travelled, type Type } from "./types.js";
import type { Writer } from "./wire.js";
import type { Carrier } from "./writes.js";

/** Least number of ticks by which the newest input shall be ahead of the used one. */
const LEAD = 1;

/** Largest distance of the clock from the estimate by round trips. */
const MOST = 500;

/** Periods in a second; those that count, and those that decide what is an outlier; place of the usual lead among the latter, the longest first. */
const PERIODS = 4;
const KEPT = 32;
const RECENT = 6;
const USUAL = 2;

/** Longest jitter, and longest repetition of a lost packet besides. Longer delays are outliers. */
const JITTER = 250;

/** Part of a lead that it loses with each later period. */
const FADING = 3;

/** Largest part of the deviation of round trips: a new path looks like a jitter. */
const MOST_DEVIATION = 50;

/** Most inputs of a message, and of the ticks after a pause. */
const MAX_INPUTS = 32;
const MAX_BEGUN = 16;

/** Longest input of a server, in bytes. */
const MAX_INPUT = 256;

/** Inputs that are kept for repeated steps. */
const MAX_KEPT = 128;

/** Flag of a first input that is relative to the one before. */
const RELATIVE = 128;

/** Input of a tick: its value as it travels, and its bytes. Before the first input of the page, ticks have none. */
export interface Input {
  tick: number;
  value?: any;
  bytes?: Uint8Array;
}

/** Time of the inputs: ahead of the server's, so that an input arrives just before its tick. */
class InputClock {
  private readonly slew = new Slew(20);
  /** Lead over the own time at the begin of the last ticks. */
  private begun: { tick: number; lead: number }[] = [];
  /** Leads that the inputs of the last periods needed, the longest of each. */
  private needed: { period: number; lead: number }[] = [];
  private last = 0;
  private usual = 0;

  constructor(private readonly clock: Clock) {}

  private get tickLength(): number {
    return 1000 / this.clock.tickRate;
  }

  /** Returns the tick at an own time, with its fraction; `undefined` before the first answer to a ping. */
  advance(now: number): number | undefined {
    const { ahead, roundTrip, deviation } = this.clock;
    if (ahead === undefined || roundTrip === undefined) return undefined;
    const estimate = ahead + roundTrip / 2 + Math.min(2 * deviation, MOST_DEVIATION) + this.tickLength;
    const lead = this.lead(roundTrip) ?? estimate;
    return this.slew.at(now, Math.min(Math.max(lead, ahead - MOST), ahead + roundTrip + MOST)) / this.tickLength;
  }

  /** Notes the ticks that begin now. Those of a stall are late because of it: they say nothing about the way. */
  begin(now: number, ticks: readonly Input[], moment: number): void {
    const longest = 2 * this.usual + this.tickLength;
    const step = now - this.last;
    this.last = now;
    this.usual = Math.max((this.usual * 7) / 8, Math.min(step, longest));
    if (step > longest) return;
    this.begun.push(...ticks.map(({ tick }) => ({ tick, lead: moment * this.tickLength - now })));
    this.begun.splice(0, this.begun.length - MAX_KEPT);
  }

  /** Takes the lead of an input over a used tick. After refused inputs it counts alone. */
  correct(tick: number, lead: number, refused: boolean): void {
    const begun = this.begun.find((it) => it.tick === tick + lead);
    if (!begun) return;
    const needed = begun.lead + (LEAD - lead) * this.tickLength;
    const period = Math.floor((begun.tick * PERIODS) / this.clock.tickRate);
    const last = this.needed.at(-1);
    if (refused) this.needed = [2, 1, 0].map((before) => ({ period: period - before, lead: needed }));
    else if (last && last.period >= period) last.lead = Math.max(last.lead, needed);
    else this.needed.push({ period, lead: needed });
    this.needed.splice(0, this.needed.length - KEPT);
  }

  /** Returns the lead that inputs need; `undefined` without enough of them. */
  private lead(roundTrip: number): number | undefined {
    const leads = this.needed.map(({ lead }) => lead).reverse();
    const usual = leads.slice(0, RECENT).sort((a, b) => b - a)[USUAL];
    if (usual === undefined) return undefined;
    const most = usual + JITTER + Math.min(roundTrip, JITTER);
    return Math.max(...leads.map((lead, age) => (lead > most ? -Infinity : lead - age * FADING)));
  }
}

/** Inputs of one connection. */
export class Inputs {
  /** Moment of the input clock in ticks, with its fraction. */
  moment = 0;
  /** Number of inputs that the server has refused. */
  refused = 0;
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
  hold(type: Type, value: any): void {
    const bytes = bytesOf(type, value, "input");
    if (bytes.length > MAX_INPUT) throw new RangeError(`input: ${bytes.length} bytes, beyond ${MAX_INPUT}`);
    this.held = { value: travelled(type, value), bytes };
  }

  /** Returns the inputs of the ticks that have begun since the last call: of the last ones after a pause. Without an input they begin for predictions only. */
  advance(now: number, isPredicted: boolean): Input[] {
    const moment = this.clock.advance(now);
    if (moment === undefined || !(this.held || isPredicted)) return [];
    this.moment = Math.max(this.moment, moment);
    const newest = Math.floor(this.moment);
    const next = (this.tick ?? newest - 1) + 1;
    const first = Math.max(next, newest + 1 - MAX_BEGUN);
    // The inputs of a message are of successive ticks.
    if (first > next) this.list.length = 0;
    const begun = Array.from({ length: Math.max(newest + 1 - first, 0) }, (_, index) => ({ tick: first + index, ...this.held }));
    this.list.push(...begun);
    this.list.splice(0, this.list.length - MAX_KEPT);
    this.clock.begin(now, begun, moment);
    return begun;
  }

  /** Handles an InputState. `end` is the tick behind the newest input of the server. */
  report(tick: number, lead: number, end: number, refused: number): void {
    this.refused += refused;
    if (refused) {
      // Acknowledgements of earlier datagrams say nothing about their inputs.
      this.known = Math.max(end - 1, 0);
      this.sent = [];
    }
    if (lead > -128) this.clock.correct(tick, lead, refused > 0);
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
    if (newest === undefined || newest <= this.known || !this.held) return;
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
    const sent = this.list.filter((it) => it.bytes);
    const inputs = sent.slice(-count).filter((it) => it.tick > this.known);
    const before = sent.find((it) => it.tick === this.known && it.tick + 1 === inputs[0].tick);
    const previous = (index: number): Uint8Array | undefined => (index ? inputs[index - 1] : before)?.bytes;
    const changed = inputs.filter((it, index) => String(it.bytes) !== String(previous(index)));
    return message(Kind.Inputs, (writer) => {
      writer.packed(inputs.at(-1)!.tick);
      writer.u8(inputs.length | (before ? RELATIVE : 0));
      writer.packed(changed.reduce((mask, it) => mask + 2 ** inputs.indexOf(it), 0));
      for (const it of changed) writeDifference(writer, it.bytes!, previous(inputs.indexOf(it)) ?? new Uint8Array());
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
