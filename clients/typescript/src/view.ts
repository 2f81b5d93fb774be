// The time of the view: behind the arrivals of the server's ticks. Times are in milliseconds, ticks those of the headers.

import type { Report } from "./arrivals.js";
import { Slew } from "./clock.js";
import { Kind, message } from "./messages.js";

/** Deviations of the arrivals in the delay. */
const DEVIATIONS = 2;

/** Share of incomplete ticks from which the delay covers the loss of a sample. */
const LOSSY = 0.02;

/** Parts of a tick in a View. */
const PARTS = 256;

/** Seconds of ticks whose lateness counts. */
const MEMORY = 2;

/** Time of the tick that a frame draws. */
export class View {
  /** Tick of the last frame, with its fraction. */
  private shown: number | undefined;
  private readonly slew = new Slew(20);
  private ticks = 0;
  /** Own time of arrival less the time of the tick. */
  private mean = 0;
  private variance = 0;
  /** Share of incomplete ticks. */
  private incomplete = 0;

  /** Notes the arrival of a tick: of its first packet, for the loss of the others is no jitter. */
  arrived({ at, tick, isComplete, isAfterGap }: Report, tickRate: number): void {
    const weight = 2 / (Math.min(++this.ticks, tickRate * MEMORY) + 1);
    const sample = at - (tick * 1000) / tickRate;
    if (this.ticks === 1) this.mean = sample;
    const difference = sample - this.mean;
    this.mean += weight * difference;
    this.variance = (1 - weight) * (this.variance + weight * difference * difference);
    this.incomplete += weight * (+(!isComplete || isAfterGap) - this.incomplete);
  }

  /** Returns the tick to draw, for samples at this interval of ticks; `undefined` before the first tick. */
  show(now: number, interval: number, tickRate: number): number | undefined {
    if (!this.ticks) return undefined;
    const length = 1000 / tickRate;
    const delay = interval * length * (1 + Math.min(this.incomplete / LOSSY, 1)) + DEVIATIONS * Math.sqrt(this.variance);
    this.shown = this.slew.at(now, -this.mean - delay) / length;
    return this.shown;
  }

  /** Returns the message View; no bytes before the first frame. */
  message(): Uint8Array {
    const { shown } = this;
    if (shown === undefined) return new Uint8Array();
    return message(Kind.View, (writer) => writer.packed(Math.max(Math.round(shown * PARTS), 0)));
  }
}
