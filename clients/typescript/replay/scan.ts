// Values and bytes over a window of time: a further replay of the same file plays it.

import type { NetworkObject, Replay } from "../src/replay.js";
import { numbersIn } from "./dom.js";

/** Numeric value that is plotted. */
export interface Plotted {
  id: number;
  prefab: string;
  /** Behaviour, field and members, such as `Car.position.x`. */
  place: string;
}

/** Values and bytes over a window. Times are seconds of the server. */
export interface Samples {
  start: number;
  end: number;
  times: number[];
  /** Values of each plotted number; `null` without the object. */
  values: (number | null)[][];
  /** Begin of each bucket of bytes. */
  buckets: number[];
  /** Bytes of each bucket by purpose. */
  bytes: Map<string, number[]>;
}

/** Number of the buckets of bytes in a window. */
const BUCKETS = 60;

/** Most samples of a window. */
const MOST = 20_000;

/** Longest uninterrupted work, in milliseconds. */
const SLICE = 12;

/** Returns the number at a place of an object. */
export function numberAt(object: NetworkObject | undefined, place: string): number | null {
  const [name, field] = place.split(".", 2);
  const value = object?.get(name)?.fields[field];
  return numbersIn(field, value).find(({ path }) => `${name}.${path}` === place)?.value ?? null;
}

/** Scanner of windows. A new scan ends the one before. */
export class Scanner {
  private fork: Promise<Replay> | undefined;
  private run = 0;

  constructor(
    private readonly replay: Replay,
    private readonly visit: (objects: Iterable<NetworkObject>) => void,
  ) {}

  /** Ends the scan in progress. */
  stop(): void {
    this.run++;
  }

  /** Plays a window. Returns `undefined` if another scan has begun. */
  async scan(start: number, end: number, plotted: readonly Plotted[]): Promise<Samples | undefined> {
    const run = ++this.run;
    this.fork ??= this.replay.fork();
    const fork = await this.fork;
    const width = (end - start) / BUCKETS;
    const samples: Samples = {
      start,
      end,
      times: [],
      values: plotted.map(() => []),
      buckets: Array.from({ length: BUCKETS }, (_, index) => start + index * width),
      bytes: new Map(),
    };
    const sample = (time = fork.recordTime): void => {
      if (samples.times.length < MOST && time !== samples.times.at(-1)) {
        samples.times.push(time);
        plotted.forEach(({ id, place }, index) => samples.values[index].push(numberAt(fork.objects.get(id), place)));
      }
      const bucket = Math.min(Math.max(Math.floor((time - start) / width), 0), BUCKETS - 1);
      for (const [name, bytes] of fork.costs) {
        let all = samples.bytes.get(name);
        if (!all) samples.bytes.set(name, (all = Array(BUCKETS).fill(0)));
        all[bucket] += bytes;
      }
    };
    fork.isMeasured = true;
    await fork.seek(start);
    if (run !== this.run) return undefined;
    const off = fork.on("tick", () => sample());
    try {
      sample();
      let from = performance.now();
      while (fork.position < Math.min(end, fork.end) && run === this.run) {
        await fork.advance(Math.min(0.25, end - fork.position));
        this.visit(fork.objects.values());
        if (performance.now() - from < SLICE) continue;
        await new Promise((done) => setTimeout(done));
        from = performance.now();
      }
      // The last values last to the end of the window.
      fork.costs.clear();
      sample(fork.position);
    } finally {
      off();
    }
    return run === this.run ? samples : undefined;
  }
}
