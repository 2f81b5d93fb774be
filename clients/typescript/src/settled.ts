// Ticks of which all changes are known.

/** Number of ticks that are recorded. */
const RECORDED = 64;

/** Source of the knowledge about rests: the client, for its tracks. */
export interface Rests {
  /** Returns the last tick up to which a value rested that had no change since `tick`. */
  restedUntil(tick: number): number;
}

/** Record of the last ticks. In an unsettled tick the change of a value may be late or lost. */
export class SettledTicks implements Rests {
  private newest = 0;
  /** Unsettled ticks, ascending. */
  private unsettled: number[] = [];

  /** Records a tick, and whether it and the ticks since the former record are settled. */
  note(tick: number, isSettled: boolean, isSettledBefore: boolean): void {
    if (tick <= this.newest) return;
    this.unsettled = this.unsettled.filter((it) => it > tick - RECORDED);
    if (!isSettledBefore) for (let it = Math.max(this.newest, tick - RECORDED) + 1; it < tick; it++) this.unsettled.push(it);
    if (!isSettled) this.unsettled.push(tick);
    this.newest = tick;
  }

  restedUntil(tick: number): number {
    const first = this.unsettled.find((it) => it > tick);
    return Math.max(tick, first === undefined ? this.newest : first - 1);
  }
}
