// The schema of a server, learned at connect: WIRE.md, section 5.

import { Parser } from "./parser.js";
import type { Type } from "./types.js";
import { type Reader, WireError } from "./wire.js";

/** Observers that receive a field. */
export type Readers = "all" | "owner" | "others" | "group";

/** Field of a behaviour. */
export interface FieldSchema {
  name: string;
  type: Type;
  readers: Readers;
  /** Whether the owner of the object writes it. */
  byOwner: boolean;
  /** Whether the server writes it. */
  byServer: boolean;
}

/** Remote call of a behaviour. */
export interface CallSchema {
  /** Name of the method in Rust, such as `strike`. */
  name: string;
  kind: "command" | "client_rpc" | "target_rpc" | "sync_event";
  arguments: Type[];
  /** Whether it runs after the state of its tick. */
  afterState: boolean;
}

/** Type of a behaviour. */
export interface BehaviourSchema {
  name: string;
  channel: number;
  /** Fields of the bases first. */
  fields: FieldSchema[];
  calls: CallSchema[];
  /** Number of the own fields of each class, bases first. */
  classes: number[];
  /** Whether the last field is `present`, and the others may be absent. */
  isOptional: boolean;
  /** Whether data follows its snapshot. */
  hasData: boolean;
}

/** Kind of objects. */
export interface Prefab {
  name: string;
  behaviours: BehaviourSchema[];
}

/** Message of the program. */
export interface MessageSchema {
  name: string;
  number: number;
  type: Type;
}

/** Schema of a server. */
export interface Schema {
  hash: Uint8Array;
  /** Whether the packets of a channel may be lost. */
  unreliable: boolean[];
  /** Prefabs by their numbers. */
  prefabs: Prefab[];
  messages: MessageSchema[];
}

const string = (reader: Reader): string => reader.text(reader.u16());

function pairs(reader: Reader): [string, string][] {
  return Array.from({ length: reader.u16() }, () => [string(reader), string(reader)]);
}

function field([name, text]: [string, string]): FieldSchema {
  const parser = new Parser(text);
  const type = parser.type()();
  const readers = parser.accept(", read by the owner and its group") ? "group"
    : parser.accept(", read by the owner") ? "owner"
    : parser.accept(", read by all but the owner") ? "others"
    : "all";
  const byOwner = parser.accept(", written by the owner");
  const byServer = !byOwner || parser.accept(" and the server");
  parser.accept(", sent once");
  if (parser.rest()) throw new WireError(`unknown rule of ${name}: ${text}`);
  return { name, type, readers, byOwner, byServer };
}

function call([name, text]: [string, string]): CallSchema {
  const parser = new Parser(text);
  const kind = parser.until(" ") as CallSchema["kind"];
  parser.until("(");
  const parts = parser.members(")");
  return { name, kind, arguments: parts.map(([, make]) => make()), afterState: false };
}

/** Reads a Schema message: a prefab, or the messages of the program. */
export function readPrefab(reader: Reader): Prefab | MessageSchema[] {
  const name = string(reader);
  reader.take(16);
  const behaviours = Array.from({ length: reader.u16() }, () => {
    const [behaviour, channel] = [string(reader), reader.u8()];
    const [fields, calls] = [pairs(reader), pairs(reader)];
    return { behaviour, channel, fields, calls };
  });
  reader.finish("the schema");
  if (!name) return behaviours.flatMap((it) => it.fields.map(message));
  return {
    name,
    behaviours: behaviours.map(({ behaviour, channel, fields, calls }) => {
      const hasData = fields.at(-1)?.[0] === "on_synchronize()";
      return {
        name: behaviour.replace(/^Optional<(.*)>$/, "$1"),
        channel,
        fields: (hasData ? fields.slice(0, -1) : fields).map(field),
        calls: calls.map(call),
        classes: [],
        isOptional: behaviour.startsWith("Optional<"),
        hasData,
      };
    }),
  };
}

function message([name, text]: [string, string]): MessageSchema {
  const parser = new Parser(text.replace(/ as message \d+$/, ""));
  return { name, number: Number(/\d+$/.exec(text)?.[0]), type: parser.type()() };
}

/** Reads a Classes message, which completes the prefabs. */
export function readClasses(reader: Reader, prefabs: Prefab[], messages: MessageSchema[]): Schema {
  const hash = reader.take(8).slice();
  const unreliable = Array.from(reader.take(reader.packed()), (kind) => kind === 1);
  for (const behaviour of prefabs.flatMap((prefab) => prefab.behaviours)) {
    for (let left = reader.packed(); left > 0; left--) behaviour.classes.push(reader.packed());
    for (const it of behaviour.calls) it.afterState = reader.bool();
    const count = behaviour.classes.reduce((sum, own) => sum + own, 0);
    if (count !== behaviour.fields.length) throw new WireError(`classes of ${behaviour.name} with ${count} fields`);
  }
  reader.finish("the classes");
  return { hash, unreliable, prefabs, messages };
}
