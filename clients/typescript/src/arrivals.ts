// Packets of the server in the order of their ticks: WIRE.md, section 7. The packets of the newest tick wait for each other, so that its
// changes are told together.

import { type Ack, type DatagramHeader, extend, readDatagramHeader, readStreamHeader, type StreamHeader } from "./headers.js";
import { Receiver } from "./receiver.js";
import type { Reader } from "./wire.js";
import type { Packet } from "./world.js";

/** Most datagrams that wait for packets of the stream. */
const MAX_HELD = 64;

/** Most packets of a tick that wait for the others. */
const MAX_GATHERED = 256;

/** Report of a tick. */
export interface Report {
  tick: number;
  /** Own time of its first packet, in milliseconds. */
  at: number;
  /** Whether the changes of the tick are here. */
  isComplete: boolean;
  /** Whether the changes of all earlier ticks are here, too. */
  isWhole: boolean;
  /** Whether a datagram since the former report was not applied. */
  isAfterGap: boolean;
}

/** Receiver of the packets. */
export interface Sink {
  acknowledged(ack: Ack): void;
  apply(packet: Packet, reader: Reader): void;
  /** All packets of a tick have been applied, or nobody waits for the others any more. */
  finished(report: Report): void;
}

/** Packet without its header. A packet of the stream has no sequence. */
interface Arrived {
  channel: number;
  tick: number;
  reader: Reader;
  sequence?: number;
  index: number;
  /** Number of the packets of the stream before it. */
  after: number;
}

/** Newest tick: the number of its datagrams and of the stream's packets up to its end, as far as they are known. */
class NewestTick {
  isEnded = false;
  datagrams = 0;
  count = 0;
  after = Infinity;
  isFinished = false;
  /** Whether the server has withheld changes of it, or owes changes of earlier ticks. */
  isPartial = false;
  isOwed = false;

  constructor(
    readonly tick: number,
    readonly at: number,
  ) {}

  note({ isPartial, isOwed }: StreamHeader | DatagramHeader): void {
    this.isPartial ||= isPartial;
    this.isOwed ||= isOwed;
  }
}

/** Packets of one connection, from the answer to Connect on. */
export class Arrivals {
  readonly receiver = new Receiver();
  private held: Arrived[] = [];
  private gathered: Arrived[] = [];
  /** Own time of the first packet that waits, in milliseconds. */
  private since = 0;
  /** Tick of the last packet of the stream. */
  private streamTick = 0;
  private newest = new NewestTick(0, 0);
  /** Highest known sequence of a sent datagram; of those below `settled`, the lost fields were sent again. */
  private sent = 0;
  private settled = 1;
  /** Highest sequence at the last report. */
  private reported = 0;

  constructor(private readonly sink: Sink) {
    this.newest.isFinished = true;
  }

  stream(channel: number, reader: Reader, now: number): void {
    const header = readStreamHeader(reader);
    if (header.ack) this.sink.acknowledged(header.ack);
    this.streamTick += header.step;
    const packet = { channel, tick: this.streamTick, reader, index: -1, after: 0 };
    this.advance(packet.tick, now);
    if (header.sent !== undefined) {
      const sent = extend(this.receiver.newest, header.sent);
      this.sent = Math.max(this.sent, sent);
      if (header.isDecided) this.settled = Math.max(this.settled, sent + 1);
    }
    const { newest } = this;
    if (packet.tick === newest.tick) {
      newest.note(header);
      if (header.isLast) [newest.isEnded, newest.count] = [true, Math.max(newest.count, header.datagrams)];
    }
    // Packets before the first update have no end.
    if (packet.tick === newest.tick && packet.tick) this.gather(packet, now);
    else this.apply(packet);
    this.finish();
  }

  datagram(channel: number, reader: Reader, now: number): void {
    let header: DatagramHeader;
    try {
      header = readDatagramHeader(reader);
    } catch {
      // It is dropped like a lost one.
      return;
    }
    if (header.ack) this.sink.acknowledged(header.ack);
    if (header.sequence === undefined) return;
    const { receiver } = this;
    const sequence = extend(receiver.newest, header.sequence);
    const tick = header.isWide ? header.tick : extend(this.newest.tick, header.tick);
    const after = header.after === undefined ? 0 : extend(receiver.handled, header.after);
    if (receiver.isKnown(sequence) || [...this.gathered, ...this.held].some((it) => it.sequence === sequence)) return;
    const packet = { channel, tick, reader, sequence, index: header.index, after };
    this.advance(tick, now);
    this.sent = Math.max(this.sent, sequence);
    if (header.settled !== undefined) this.settled = Math.max(this.settled, extend(sequence, header.settled));
    const { newest } = this;
    if (tick === newest.tick) {
      newest.datagrams++;
      [newest.count, newest.after] = [header.count, after];
      newest.note(header);
      this.gather(packet, now);
    } else this.apply(packet);
    this.finish();
  }

  /** Applies the packets that have waited since before a time. */
  expire(time: number): void {
    if (this.gathered.length && this.since < time) this.flush();
  }

  /** Begins a tick. Nobody waits for the packets of earlier ones any more. */
  private advance(tick: number, now: number): void {
    if (tick <= this.newest.tick) return;
    this.flush();
    this.report(false);
    this.newest = new NewestTick(tick, now);
  }

  private gather(packet: Arrived, now: number): void {
    if (!this.gathered.length) this.since = now;
    this.gathered.push(packet);
    if (this.gathered.length >= MAX_GATHERED) this.flush();
  }

  /** Applies the packets of the newest tick once all of them are here. */
  private finish(): void {
    const { newest, receiver } = this;
    const stream = this.gathered.filter((it) => it.sequence === undefined).length;
    const isKnown = newest.isEnded || newest.after <= receiver.handled + stream;
    if (!isKnown || newest.datagrams < newest.count) return;
    this.flush();
    if (newest === this.newest && !this.held.some((it) => it.tick === newest.tick)) this.report(true);
  }

  private report(hasAll: boolean): void {
    const { newest, receiver, sent } = this;
    if (newest.isFinished) return;
    newest.isFinished = true;
    const isComplete = hasAll && !newest.isPartial;
    const isWhole = isComplete && !newest.isOwed && receiver.hasAll(this.settled, sent);
    const isAfterGap = !receiver.hasAll(this.reported + 1, sent);
    this.reported = sent;
    this.sink.finished({ tick: newest.tick, at: newest.at, isComplete, isWhole, isAfterGap });
  }

  /** Applies the packets that have been gathered: those of the stream, then the datagrams by index. */
  private flush(): void {
    const packets = this.gathered.sort((a, b) => a.index - b.index);
    this.gathered = [];
    for (const packet of packets) this.apply(packet);
  }

  private apply(packet: Arrived): void {
    const { receiver } = this;
    const { channel, tick, reader } = packet;
    if (packet.sequence === undefined) receiver.handle();
    else if (packet.after > receiver.handled) {
      if (this.held.length >= MAX_HELD) this.held.shift();
      this.held.push(packet);
      return this.sink.apply({ channel, tick, isEarly: true }, reader.copy());
    } else if (receiver.isKnown(packet.sequence)) return;
    else receiver.mark(packet.sequence);
    this.sink.apply({ channel, tick, isEarly: false }, reader);
    if (packet.sequence === undefined) this.release();
  }

  /** Applies the early datagrams that the stream has caught up with, by tick. */
  private release(): void {
    const isDue = (it: Arrived): boolean => it.after <= this.receiver.handled;
    const due = this.held.filter(isDue).sort((a, b) => a.tick - b.tick || a.index - b.index);
    this.held = this.held.filter((it) => !isDue(it));
    for (const packet of due) this.apply(packet);
  }
}
