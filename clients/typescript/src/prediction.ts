// Prediction: a behaviour ahead of the server's state, by the inputs of this client.

import type { Input } from "./inputs.js";
import type { Behaviour } from "./objects.js";
import { equal, travelled } from "./types.js";

/** Most states of the past. */
const MAX_PAST = 128;

/** Time in which the visible error of a correction decays, in milliseconds. */
const DECAY = 300;

/** Values of the fields by name. */
export type State = Record<string, any>;

/** Step of a tick, as the server runs it: changes the state. */
export type Step<Fields = any, Input = any> = (state: Fields, input: Input, tick: number) => void;

/** Server's state of a tick: its fields, as far as their values are those of that tick. */
export interface Known {
  tick: number;
  has(at: number): boolean;
}

/** Predicted behaviour. */
export class Prediction<Fields = any> {
  /** State at the newest input. */
  state: Fields & State = {} as any;
  /** States of the server that differed from the prediction. */
  corrections = 0;
  /** Steps that were repeated. */
  replayed = 0;
  /** States by tick, ascending. */
  private past: { tick: number; state: State }[] = [];
  /** Visible errors of the last correction by field, and its own time. */
  private errors: State = {};
  private corrected = -Infinity;

  constructor(
    readonly behaviour: Behaviour,
    private readonly step: Step,
    /** Returns the moment of the input clock in ticks, with its fraction. */
    private readonly moment: () => number,
  ) {}

  /** Begins with the server's state of a tick. */
  begin(tick: number, inputs: readonly Input[]): void {
    this.state = this.copy(this.behaviour.fields) as any;
    this.past = [{ tick, state: this.state }];
    this.repeat(tick, inputs);
  }

  /** Compares the server's state with that of its tick. A difference repeats the later steps. */
  compare(known: Known, inputs: readonly Input[], now: number): void {
    const { fields } = this.behaviour.schema;
    const at = this.past.findIndex((it) => it.tick === known.tick);
    if (at < 0) {
      // The prediction is behind the server.
      if (known.tick > this.past.at(-1)!.tick) this.begin(known.tick, inputs);
      return;
    }
    const past = this.past[at];
    const differing = fields.filter(({ name, byOwner }, field) => !byOwner && known.has(field) && !equal(past.state[name], this.behaviour.fields[name]));
    this.past.splice(0, at);
    if (!differing.length) return;
    const before = this.shown(now);
    for (const { name } of differing) past.state[name] = this.behaviour.fields[name];
    this.past.length = 1;
    this.state = past.state as any;
    this.repeat(known.tick, inputs);
    this.corrections++;
    this.errors = {};
    this.errors = combine(before, this.shown(now), (from, to) => from - to, () => undefined);
    this.corrected = now;
  }

  /** Repeats the steps behind a tick. */
  private repeat(tick: number, inputs: readonly Input[]): void {
    for (const input of inputs) {
      if (input.tick <= tick) continue;
      this.advance(input);
      this.replayed++;
    }
  }

  /** Runs the step of a tick. */
  advance({ tick, value }: Input): void {
    this.state = this.copy(this.state) as any;
    this.step(this.state, structuredClone(value), tick);
    // The state is that which travels.
    this.state = this.copy(this.state) as any;
    this.past.push({ tick, state: this.state });
    if (this.past.length > MAX_PAST) this.past.shift();
  }

  /** Returns the value of a field to draw: its numbers lie between the last two ticks, and the error of a correction decays within 300 ms. */
  at<Name extends keyof Fields & string>(name: Name, now = performance.now()): Fields[Name] {
    return this.shown(now, [name])[name];
  }

  private shown(now: number, names = Object.keys(this.state)): State {
    const newest = this.past.at(-1)!;
    const tick = Math.min(this.moment() - 1, newest.tick);
    const next = this.past.findIndex((it) => it.tick >= tick);
    const [from, to] = [this.past[Math.max(next - 1, 0)], this.past[next] ?? newest];
    const share = to.tick > from.tick ? Math.min(Math.max((tick - from.tick) / (to.tick - from.tick), 0), 1) : 1;
    const left = Math.max(1 - (now - this.corrected) / DECAY, 0);
    const value = (name: string): any => {
      const between = combine(from.state[name], to.state[name], (a, b) => a + (b - a) * share);
      return left && name in this.errors ? combine(this.errors[name], between, (error, it) => it + error * left) : between;
    };
    return Object.fromEntries(names.map((name) => [name, value(name)]));
  }

  private copy(state: State): State {
    const { fields } = this.behaviour.schema;
    return Object.fromEntries(fields.map(({ name, type, byOwner }) => [name, travelled(type, (byOwner ? this.behaviour.fields : state)[name])]));
  }
}

/** Combines the numbers in two values of one shape. All else is that of the second one, by `other`. */
function combine(a: any, b: any, of: (a: number, b: number) => number, other = (b: any): any => b): any {
  if (typeof a === "number" && typeof b === "number") return of(a, b);
  if (!a || !b || typeof a !== "object" || typeof b !== "object" || b instanceof Map || b instanceof Set) return other(b);
  if (Array.isArray(b)) return b.map((it, index) => combine(a[index], it, of, other));
  return Object.fromEntries(Object.entries(b).map(([name, it]) => [name, combine(a[name], it, of, other)]));
}
