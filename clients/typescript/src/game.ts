// Types of a game, as `syncvar types --typescript` writes them.

import type { Behaviour, Change } from "./objects.js";
import type { Leaves } from "./resolution/zero.js";
import type { Schema } from "./schema.js";

/** Types of a behaviour. */
export interface BehaviourTypes {
  /** Values of the fields by name. */
  fields: object;
  /** Names of the fields that an owner writes. */
  writes: string;
  /** Calls of the server by name. */
  commands: object;
  /** Calls of the client by name. */
  calls: object;
}

/** Types of a game. */
export interface GameTypes {
  /** Names of the behaviours by prefab. */
  prefabs: object;
  behaviours: Record<string, BehaviourTypes>;
  messages: object;
  input: unknown;
}

/** Difference between the schema of a page and that of its server. */
export interface Difference {
  /** Part of the schema by the names of the server, or of the page if the server lacks it. */
  place: string;
  /**
   * Only the page has it (`missing`), only the server has it (`extra`); it has another name, another type, or another place or other rules
   * (`moved`); or the page cannot play with the server because of it (`refused`).
   */
  kind: "missing" | "extra" | "renamed" | "converted" | "moved" | "refused";
  /** Sentence for a log. */
  text: string;
}

/** Result of a resolution. */
export interface Resolution {
  /** Schema of the server with the names and values of the page. */
  schema: Schema;
  differences: Difference[];
}

/** Build of a page: what it was made for. */
export interface Build<G extends GameTypes = any> {
  /** Text of its schema. */
  readonly schema: string;
  /** Name for the server's program, of at most 64 bytes in ASCII. A longer one is cut. */
  readonly name?: string;
  /** Rules for servers of other builds. Without them such a server is refused. */
  readonly resolve?: (own: Schema, server: Schema, leaves: Leaves) => Resolution;
  /** Types of the game, for the compiler alone. */
  readonly game?: G;
}

export type IsAny<T> = 0 extends 1 & T ? true : false;

/** Value of a field as a page reads it: a change in its place is an error of the compiler. */
export type Kept<Value> = Value extends ReadonlyMap<infer Key, infer Of>
  ? ReadonlyMap<Key, Of>
  : Value extends ReadonlySet<infer Of>
    ? ReadonlySet<Of>
    : Value extends Uint8Array
      ? Value
      : Value extends object
        ? Readonly<Value>
        : Value;

/** Values of fields by name. */
export type FieldsOf<Fields> = IsAny<Fields> extends true ? any : { readonly [Name in keyof Fields]: Kept<Fields[Name]> };

/** Arguments of a call. */
export type Arguments<Call> = Call extends (...values: infer Values) => void ? Values : any[];

/** Names of the fields and calls of a behaviour, behind the name of the behaviour. */
type PartName<G extends GameTypes> = {
  [Name in keyof G["behaviours"] & string]: G["behaviours"][Name] extends { fields: infer Fields; calls: infer Calls }
    ? `${Name}.${(keyof Fields | keyof Calls) & string}`
    : never;
}[keyof G["behaviours"] & string];

/** Names of events: those of the client, and those of the fields and calls of a game. */
export type EventName<G extends GameTypes, Events> = IsAny<G> extends true ? string : keyof Events | PartName<G>;

/** Arguments of a listener: a change of the field, or the behaviour and the arguments of the call. */
export type Heard<G extends GameTypes, Events, Name> = Name extends keyof Events
  ? Events[Name] extends infer Values extends any[] ? Values : never
  : IsAny<G> extends true
    ? any[]
    : Name extends `${infer Owner}.${infer Part}`
      ? Owner extends keyof G["behaviours"] ? HeardOf<G["behaviours"][Owner], Part> : never
      : never;

type HeardOf<T, Part> = T extends BehaviourTypes
  ? Part extends keyof T["fields"]
    ? [change: Change<Kept<T["fields"][Part]>, T>]
    : Part extends keyof T["calls"]
      ? [behaviour: Behaviour<T>, ...values: Arguments<T["calls"][Part]>]
      : never
  : never;

/** Messages of a game, each with its value. */
export type Messages<G extends GameTypes> = IsAny<G> extends true
  ? [name: string, value: any]
  : { [Name in keyof G["messages"] & string]: [name: Name, value: G["messages"][Name]] }[keyof G["messages"] & string];
