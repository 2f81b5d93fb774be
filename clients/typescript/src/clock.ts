// The server's time, estimated from pings: WIRE.md, section 4, "Time". Times are in milliseconds.

/** Pings in quick succession at the beginning, and their interval. */
const FIRST_PINGS = 5;
const FIRST_INTERVAL = 200;
const INTERVAL = 2000;

/** Answers that the estimate uses. */
const RECENT = 16;

/** Error beyond which a shown time jumps. */
const JUMP = 250;

/** Shown time of another clock. It has no step and never goes back, unless it is wrong by more than 250 ms. */
export class Slew {
  /** Lead of the shown time over the own time, and the own time at which it was shown. */
  private shown: { ahead: number; at: number } | undefined;

  /** `share` is the part of the own speed, as its divisor, by which the shown time runs faster or slower. */
  constructor(private readonly share: number) {}

  /** Returns the shown time at an own time, by the present estimate of its lead. */
  at(now: number, ahead: number): number {
    const before = this.shown ?? { ahead, at: now };
    const error = ahead - before.ahead;
    const most = Math.max(now - before.at, 0) / this.share;
    const step = Math.abs(error) > JUMP ? error : Math.min(Math.max(error, -most), most);
    this.shown = { ahead: before.ahead + step, at: now };
    return now + this.shown.ahead;
  }
}

/** Times of one connection. */
export class Clock {
  /** Smoothed round trip; `undefined` before the first answer. */
  roundTrip: number | undefined;
  deviation = 0;
  /** Ticks of the server in a second. */
  tickRate = 0;
  private due = 0;
  private pings = 0;
  private recent: { roundTrip: number; ahead: number }[] = [];
  private readonly slew = new Slew(8);

  /** Returns whether a ping is due. */
  isDue(now: number): boolean {
    if (now < this.due) return false;
    this.due = now + (this.pings++ < FIRST_PINGS ? FIRST_INTERVAL : INTERVAL);
    return true;
  }

  /** Takes the answer to a ping of the time `sent`. */
  pong(now: number, sent: number, server: number, tickRate: number): void {
    const sample = now - sent;
    if (sample < 0) return;
    const error = sample - (this.roundTrip ?? sample);
    this.deviation = this.roundTrip === undefined ? sample / 2 : this.deviation * 0.75 + Math.abs(error) / 4;
    this.roundTrip = sample - error * 0.875;
    this.tickRate = tickRate;
    this.recent = [...this.recent, { roundTrip: sample, ahead: server - now + sample / 2 }].slice(-RECENT);
  }

  /** Lead of the server's time over the own time; `undefined` before the first answer. */
  get ahead(): number | undefined {
    // The fastest answer has the least error.
    return this.recent.reduce((best, it) => (it.roundTrip < best.roundTrip ? it : best), this.recent[0])?.ahead;
  }

  /** Returns the server's time. */
  time(now: number): number | undefined {
    const { ahead } = this;
    return ahead === undefined ? undefined : this.slew.at(now, ahead);
  }
}
