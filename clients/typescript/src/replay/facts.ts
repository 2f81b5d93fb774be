// What a replay shows of a file and of a tick, beside its objects.

import type { Behaviour, Change, NetworkObject } from "../objects.js";
import type { Schema } from "../schema.js";

/** Facts about a whole log file. */
export interface LogHeader {
  /** Contents of the records: the view of an observer of all objects, or all fields of all objects. */
  kind: "recording" | "journal";
  schema: Schema;
  /** Ticks of the server per second. */
  tickRate: number;
  /** Milliseconds since 1970 at the time 0 of the server. */
  wallClock: number;
  /** Pairs of the program. */
  program: ReadonlyMap<string, string>;
  /** Whether the file has its end: it is not cut, and not being written. */
  isWhole: boolean;
  /** Length of the file in bytes. */
  size: number;
}

/** Moment with a name and a value. */
export interface Marker {
  name: string;
  tick: number;
  /** Seconds of the server. */
  time: number;
  value: any;
}

/** Event of a tick. */
export type TickEvent =
  | { kind: "change"; change: Change }
  | { kind: "spawn" | "despawn"; object: NetworkObject }
  | { kind: "call"; name: string; behaviour: Behaviour; values: any[] }
  | { kind: "message"; name: string; value: any };

/** Bytes by their purpose, such as `car: Car.lap`. */
export type Costs = Map<string, number>;
