// Types of a server at run time: `describe(client)`.

import type { Client } from "./client.js";
import type { TypeSchema } from "./parser.js";
import { print } from "./resolution/print.js";
import type { BehaviourSchema, CallSchema, FieldSchema, Readers } from "./schema.js";

export type { MemberSchema, TypeSchema, VariantSchema } from "./parser.js";

/** Type of a value: its text, as in a schema, and its parts. */
export interface ValueDescription {
  name: string;
  type: string;
  schema: TypeSchema;
}

/** Field of a behaviour. */
export interface FieldDescription extends ValueDescription {
  readers: Readers;
  writers: "server" | "owner" | "both";
  /** Whether it travels with snapshots only. */
  isInitial: boolean;
}

/** Command, or call of the server. */
export interface CallDescription {
  name: string;
  kind: CallSchema["kind"];
  arguments: ValueDescription[];
}

/** Behaviour of a prefab. */
export interface BehaviourDescription {
  name: string;
  isOptional: boolean;
  fields: FieldDescription[];
  calls: CallDescription[];
}

/** Objects and messages of a server. */
export interface Description {
  prefabs: { name: string; behaviours: BehaviourDescription[] }[];
  messages: ValueDescription[];
}

/** Returns the types of the last server; `undefined` before the first connection. */
export function describe(client: Client): Description | undefined {
  const { schema } = client;
  return schema && {
    prefabs: schema.prefabs.map(({ name, behaviours }) => ({ name, behaviours: behaviours.map(describeBehaviour) })),
    messages: schema.messages.map(value),
  };
}

/** Returns the types of a behaviour: `describeBehaviour(behaviour.schema)`. */
export function describeBehaviour({ name, isOptional, fields, calls }: BehaviourSchema): BehaviourDescription {
  return { name, isOptional, fields: fields.map(field), calls: calls.map(call) };
}

function value({ name, schema }: { name: string; schema: TypeSchema }): ValueDescription {
  return { name, type: print(schema), schema };
}

function field(it: FieldSchema): FieldDescription {
  const { readers, byOwner, byServer, isInitial } = it;
  return { ...value(it), readers, writers: !byOwner ? "server" : byServer ? "both" : "owner", isInitial };
}

function call({ name, kind, parameters }: CallSchema): CallDescription {
  return { name, kind, arguments: parameters.map(value) };
}
