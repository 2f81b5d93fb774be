// Prediction: behaviours ahead of the server's state, by the inputs of this client.

import type { Input } from "./inputs.js";
import type { Behaviour } from "./objects.js";
import type { BehaviourSchema } from "./schema.js";
import { equal, travelled } from "./types.js";

/** Most states of the past. */
const MAX_PAST = 128;

/** Time in which the visible error of a correction decays, in milliseconds. */
const DECAY = 300;

/** Values of the fields by name. */
export type State = Record<string, any>;

/** Step of a tick, as the server runs it: changes the state. */
export type Step<Fields = any, In = any> = (state: Fields, input: In, tick: number) => void;

/** Step of behaviours that act on each other, in the order in which they were given. The inputs of other clients are unknown. */
export type GroupStep<States extends readonly any[] = any[], In = any> = (states: States, inputs: (In | undefined)[], tick: number) => void;

/** Change that the page expects of the server. */
interface Edit {
  /** Tick before which it comes. */
  before: number;
  run: (state: any) => void;
}

/** Predicted behaviour. */
export class Prediction<Fields = any> {
  /** State at the newest input. */
  state: Fields & State = {} as any;
  /** States of the server that differed from the prediction. */
  corrections = 0;
  /** Steps that were repeated. */
  replayed = 0;
  /** Behaviours that step with this one. */
  group: Group;
  /** States by tick, ascending. */
  private past: { tick: number; state: State }[] = [];
  private edits: Edit[] = [];
  /** Visible errors of the last correction by field, and its own time. */
  private errors: State = {};
  private corrected = -Infinity;

  constructor(
    readonly schema: BehaviourSchema,
    /** Behaviour of the server; `undefined` before a predicted object has arrived. */
    public behaviour: Behaviour | undefined,
    /** Returns the moment of the input clock in ticks, with its fraction. */
    private readonly moment: () => number,
    /** Largest error that decays. A larger one jumps. */
    private readonly snap = Infinity,
  ) {
    this.group = new Group([this], undefined);
  }

  /** Newest tick of the past. */
  get newest(): number {
    return this.past.at(-1)?.tick ?? -1;
  }

  /** Begins with a state of a tick. */
  begin(tick: number, state: State): void {
    this.state = this.copy(state) as any;
    this.past = [{ tick, state: this.state }];
  }

  /** Shows a change at once, and before each repetition of the next tick. */
  edit(run: (state: Fields) => void): void {
    this.edits.push({ before: this.newest + 1, run });
    this.state = this.copy(this.state) as any;
    run(this.state);
  }

  /** Takes the state of the tick before, with the changes that the page expects. */
  beginTick(tick: number): State {
    this.state = this.copy(this.past.at(-1)!.state) as any;
    this.applyEdits(tick);
    return this.state;
  }

  /** Records the state of a tick, as it travels. */
  endTick(tick: number): void {
    this.state = this.copy(this.state) as any;
    this.past.push({ tick, state: this.state });
    if (this.past.length > MAX_PAST) this.past.shift();
  }

  private applyEdits(tick: number): void {
    for (const { before, run } of this.edits) if (before === tick) run(this.state);
  }

  /** Returns whether it has the state of a tick. Those before it are forgotten. */
  reach(tick: number): boolean {
    const at = this.past.findIndex((it) => it.tick === tick);
    this.past.splice(0, Math.max(at, 0));
    this.edits = this.edits.filter(({ before }) => before > tick);
    return at >= 0;
  }

  /** Returns the fields in which the server's state differs from that of the first tick. */
  differing(has: (at: number) => boolean): string[] {
    const { behaviour, past } = this;
    if (!behaviour) return [];
    const differs = ({ name, byOwner }: { name: string; byOwner: boolean }, at: number): boolean => !byOwner && has(at) && !equal(past[0].state[name], behaviour.fields[name]);
    return this.schema.fields.filter(differs).map(({ name }) => name);
  }

  /** Returns to the first tick, with the server's values of some fields. */
  restore(names: string[]): void {
    this.past.length = 1;
    for (const name of names) this.past[0].state[name] = this.behaviour!.fields[name];
    this.state = this.past[0].state as any;
    if (names.length) this.corrections++;
  }

  /** Ends a repetition: the difference to what was shown decays. */
  settle(before: State, now: number): void {
    if (this.edits.some((it) => it.before > this.newest)) {
      this.state = this.copy(this.state) as any;
      this.applyEdits(this.newest + 1);
    }
    this.errors = {};
    this.errors = combine(before, this.shown(now), (from, to) => (Math.abs(from - to) > this.snap ? 0 : from - to), () => undefined);
    this.corrected = now;
  }

  /** Returns the value of a field to draw: its numbers lie between the last two ticks, and the error of a correction decays within 300 ms. */
  at<Name extends keyof Fields & string>(name: Name, now = performance.now()): Fields[Name] {
    return this.shown(now, [name])[name];
  }

  shown(now: number, names = Object.keys(this.state)): State {
    const newest = this.past.at(-1)!;
    const tick = Math.min(this.moment() - 1, newest.tick);
    const next = this.past.findIndex((it) => it.tick >= tick);
    const [from, to] = [this.past[Math.max(next - 1, 0)], this.past[next] ?? newest];
    const share = to.tick > from.tick ? Math.min(Math.max((tick - from.tick) / (to.tick - from.tick), 0), 1) : 1;
    const left = Math.max(1 - (now - this.corrected) / DECAY, 0);
    // A change that the page expects is not between two ticks.
    const isEdited = this.edits.some(({ before }) => before > newest.tick);
    const value = (name: string): any => {
      if (isEdited && !equal(this.state[name], newest.state[name])) return this.state[name];
      const between = combine(from.state[name], to.state[name], (a, b) => a + (b - a) * share);
      return left && name in this.errors ? combine(this.errors[name], between, (error, it) => it + error * left) : between;
    };
    return Object.fromEntries(names.map((name) => [name, value(name)]));
  }

  private copy(state: State): State {
    const { behaviour } = this;
    const own = (name: string, byOwner: boolean): any => (byOwner && behaviour ? behaviour.fields : state)[name];
    return Object.fromEntries(this.schema.fields.map(({ name, type, byOwner }) => [name, travelled(type, own(name, byOwner))]));
  }
}

/** Behaviours that step and repeat together. */
export class Group {
  constructor(
    readonly members: readonly Prediction[],
    private readonly step: GroupStep | undefined,
    /** Returns whether a member has the input of this client. */
    private readonly hasInput = (_: Prediction): boolean => true,
  ) {}

  /** Begins with the server's state of a tick. */
  begin(tick: number, inputs: readonly Input[]): void {
    for (const it of this.members) it.begin(tick, it.behaviour?.fields ?? it.state);
    this.repeat(tick, inputs);
  }

  /** Runs the step of a tick. */
  advance({ tick, value }: Input): void {
    const { members } = this;
    const states = members.map((it) => it.beginTick(tick));
    if (value !== undefined) this.step?.(states, members.map((it) => (this.hasInput(it) ? structuredClone(value) : undefined)), tick);
    for (const it of members) it.endTick(tick);
  }

  /** Repeats the steps behind a tick. */
  private repeat(tick: number, inputs: readonly Input[]): void {
    for (const input of inputs) {
      if (input.tick <= tick) continue;
      this.advance(input);
      for (const it of this.members) it.replayed++;
    }
  }

  /** Compares the server's state with that of its tick. `has` tells the fields whose values are those of the tick. A difference repeats the later steps. */
  compare(tick: number, has: (behaviour: Behaviour, at: number) => boolean, inputs: readonly Input[], now: number): void {
    const { members } = this;
    if (!members.map((it) => it.reach(tick)).every(Boolean)) {
      // The prediction is behind the server.
      if (members.every((it) => it.newest < tick)) this.begin(tick, inputs);
      return;
    }
    const differing = members.map((it) => it.differing((at) => has(it.behaviour!, at)));
    if (!differing.some((names) => names.length)) return;
    const before = members.map((it) => it.shown(now));
    members.forEach((it, index) => it.restore(differing[index]));
    this.repeat(tick, inputs);
    members.forEach((it, index) => it.settle(before[index], now));
  }
}

/** Combines the numbers in two values of one shape. All else is that of the second one, by `other`. */
function combine(a: any, b: any, of: (a: number, b: number) => number, other = (b: any): any => b): any {
  if (typeof a === "number" && typeof b === "number") return of(a, b);
  if (!a || !b || typeof a !== "object" || typeof b !== "object" || b instanceof Map || b instanceof Set) return other(b);
  if (Array.isArray(b)) return b.map((it, index) => combine(a[index], it, of, other));
  return Object.fromEntries(Object.entries(b).map(([name, it]) => [name, combine(a[name], it, of, other)]));
}
