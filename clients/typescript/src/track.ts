// Movement between the ticks of the server.

import type { Rests } from "./settled.js";

/** Most samples of a track. */
const MAX_SAMPLES = 64;

/** Ticks in which an error of a drawn value decays to a third. */
const DECAY = 3;

/** Error that nobody sees. */
const SMALL = 1e-3;

/** Samples of a moving value by tick. It is drawn a little in the past, between two of them. */
export class Track {
  private samples: { tick: number; value: number[] }[] = [];
  /** Last value that was drawn. */
  private drawn: { tick: number; value: number[] } | undefined;

  /**
   * With an interval, a value that moves after a longer rest has rested until so many ticks before its next sample. `rests` is the client: a
   * tick whose changes are lost is no rest.
   */
  constructor(
    private readonly interval = Infinity,
    private readonly rests: Rests = { restedUntil: () => Infinity },
    /** Largest distance of a movement. Between two samples further apart the value jumps. */
    private readonly snap = Infinity,
  ) {}

  /** Adds the value of a tick. */
  add(tick: number, value: number[]): void {
    const behind = this.samples.findLastIndex((it) => it.tick <= tick) + 1;
    this.samples.splice(behind, 0, { tick, value });
    if (this.samples.length > MAX_SAMPLES) this.samples.shift();
  }

  /**
   * Returns the value to draw at a tick with its fraction: between two samples on the line, outside of all the nearest one. What was drawn
   * before a late sample arrived is corrected over some ticks.
   */
  at(tick: number): number[] | undefined {
    const { drawn } = this;
    const value = this.between(tick);
    const known = drawn && drawn.tick <= tick ? this.between(drawn.tick) : undefined;
    if (!value || !known) this.drawn = value && { tick, value };
    else {
      const left = Math.exp((drawn!.tick - tick) / DECAY);
      const error = known.map((it, index) => drawn!.value[index] - it);
      const size = Math.hypot(...error);
      this.drawn = { tick, value: size > this.snap || size * left < SMALL ? value : value.map((it, index) => it + error[index] * left) };
    }
    return this.drawn?.value;
  }

  /** Returns the value between two samples. */
  private between(tick: number): number[] | undefined {
    const next = this.samples.findIndex((it) => it.tick > tick);
    if (next <= 0) return this.samples.at(next)?.value;
    const [before, after] = [this.samples[next - 1], this.samples[next]];
    const start = Math.max(before.tick, Math.min(after.tick - this.interval, this.rests.restedUntil(before.tick)));
    const steps = before.value.map((from, index) => after.value[index] - from);
    const share = Math.hypot(...steps) > this.snap ? 0 : Math.max((tick - start) / (after.tick - start), 0);
    return before.value.map((from, index) => from + steps[index] * share);
  }
}
