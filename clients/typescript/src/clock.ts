// The server's time, estimated from pings: WIRE.md, section 4, "Time". Times are in milliseconds.

/** Pings in quick succession at the beginning, and their interval. */
const FIRST_PINGS = 5;
const FIRST_INTERVAL = 200;
const INTERVAL = 2000;

/** Answers that the estimate uses. */
const RECENT = 16;

/** Error beyond which the shown time jumps. */
const JUMP = 250;

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
  /** Lead of the shown time over the own time, and the own time at which it was shown. */
  private shown: { ahead: number; at: number } | undefined;

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
    this.deviation = this.roundTrip === undefined ? sample / 2 : this.deviation * 0.75 + Math.abs(sample - this.roundTrip) / 4;
    this.roundTrip = this.roundTrip === undefined ? sample : this.roundTrip * 0.875 + sample / 8;
    this.tickRate = tickRate;
    this.recent = [...this.recent, { roundTrip: sample, ahead: server - now + sample / 2 }].slice(-RECENT);
  }

  /** Returns the server's time. It has no step and never goes back, unless it is wrong by more than 250 ms. */
  time(now: number): number | undefined {
    if (!this.recent.length) return undefined;
    // The fastest answer has the least error.
    const { ahead } = this.recent.reduce((best, it) => (it.roundTrip < best.roundTrip ? it : best));
    const before = this.shown ?? { ahead, at: now };
    const error = ahead - before.ahead;
    const most = Math.max(now - before.at, 0) / 8;
    const step = Math.abs(error) > JUMP ? error : Math.min(Math.max(error, -most), most);
    this.shown = { ahead: before.ahead + step, at: now };
    return now + this.shown.ahead;
  }
}
