// The schema of a server, learned at connect: WIRE.md, section 5, "The text of a schema".

import { codecOf } from "./codecs.js";
import { type MemberSchema, readMembers, readType, type TypeSchema } from "./parser.js";
import { type Names, Text } from "./text.js";
import type { Type } from "./types.js";
import { Reader } from "./wire.js";

/** Observers that receive a field. */
export type Readers = "all" | "owner" | "others" | "group" | "server";

/** Field of a behaviour. */
export interface FieldSchema extends Names {
  /** Form of its values on the wire. */
  type: Type;
  schema: TypeSchema;
  readers: Readers;
  /** Whether the owner of the object writes it. */
  byOwner: boolean;
  /** Whether the server writes it. */
  byServer: boolean;
  /** Whether it travels with snapshots only. */
  isInitial: boolean;
  /** Name of its class. */
  className: string;
}

/** Remote call of a behaviour. */
export interface CallSchema extends Names {
  kind: "command" | "client_rpc" | "target_rpc" | "sync_event";
  /** Name of the method in UNet. */
  unityName: string;
  arguments: Type[];
  parameters: MemberSchema[];
  /** Number of arguments. */
  count: number;
  /** Converts the arguments between the page and a server of another build. */
  convert?(values: any[]): any[];
  /** Whether it runs after the state of its tick. */
  afterState: boolean;
}

/** Type of a behaviour. */
export interface BehaviourSchema extends Names {
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
  /** Values of fields before the server sends one: those that a server of another build lacks. */
  initial?: Record<string, any>;
}

/** Kind of objects. */
export interface Prefab extends Names {
  behaviours: BehaviourSchema[];
}

/** Message of the program. */
export interface MessageSchema extends Names {
  number: number;
  type: Type;
  schema: TypeSchema;
}

/** Schema of a server. */
export interface Schema {
  hash: Uint8Array;
  /** Prefabs by their numbers. */
  prefabs: Prefab[];
  messages: MessageSchema[];
}

/** Longest text of a schema in bytes. */
export const MAX_SCHEMA = 1024 * 1024;

/** Most fields of a behaviour, and behaviours of an object. */
const MOST = 64;

/** Kind of a call. A field may have this name, and a former name behind it. */
const CALL = /(?:command|client_rpc|target_rpc|sync_event) (?!was (?!= ))/y;

/** Returns the schema hash of a text: FNV-1a of 64 bits, the lowest byte first. */
export function hashOf(text: Uint8Array): Uint8Array {
  let [high, low] = [0xcbf29ce4, 0x84222325];
  for (let at = 0; at < text.length; at++) {
    // The prime is 2^40 + 435. Products of 32 bits are fast: a hostile text has a MiB.
    const factor = low ^ text[at];
    const carry = ((factor >>> 16) * 435 + (((factor & 0xffff) * 435) >>> 16)) >>> 16;
    high = Math.imul(high, 435) + carry + (factor << 8);
    low = Math.imul(factor, 435);
  }
  return new Uint8Array(Uint32Array.of(low, high).buffer);
}

/** Reads the text of a schema. */
export function readSchema(bytes: Uint8Array): Schema {
  const text = new Text(new Reader(bytes).text(bytes.length));
  const [prefabs, messages]: [Prefab[], MessageSchema[]] = [[], []];
  while (text.accept("message ")) messages.push(readMessage(text));
  while (text.accept("prefab ")) prefabs.push(readPrefab(text));
  text.finish("`message` or `prefab`");
  return { hash: hashOf(bytes), prefabs, messages };
}

function readMessage(text: Text): MessageSchema {
  const names = text.names();
  text.expect(" = ");
  const number = text.number(-32768, 32767);
  text.expect(": ");
  const schema = readType(text);
  text.end();
  return { ...names, number, schema, type: codecOf(schema) };
}

function readPrefab(text: Text): Prefab {
  const names = text.names();
  text.expect(" ");
  if (!text.match(/[0-9a-f]{32}/y)) text.fail("expected 32 hexadecimal digits");
  text.end();
  const behaviours: BehaviourSchema[] = [];
  while (text.accept("  behaviour ")) {
    if (behaviours.length === MOST) text.fail(`more than ${MOST} behaviours`);
    behaviours.push(readBehaviour(text));
  }
  return { ...names, behaviours };
}

function readBehaviour(text: Text): BehaviourSchema {
  const names = text.names();
  text.expect(", channel ");
  const channel = text.number(0, 255);
  const isOptional = text.accept(", optional");
  const hasData = text.accept(", with data");
  text.end();
  const behaviour: BehaviourSchema = { ...names, channel, fields: [], calls: [], classes: [], isOptional, hasData };
  while (text.accept("    class ")) readClass(text, behaviour);
  if (isOptional && behaviour.fields.at(-1)?.name !== "present") text.fail("expected the field `present` of an optional behaviour");
  return behaviour;
}

function readClass(text: Text, { fields, calls, classes }: BehaviourSchema): void {
  const className = text.name();
  text.end();
  const first = fields.length;
  while (text.accept("      ")) {
    const call = readCall(text);
    if (call) calls.push(call);
    else if (fields.push(readField(text, className)) > MOST) text.fail(`more than ${MOST} fields in a behaviour`);
  }
  classes.push(fields.length - first);
}

function readField(text: Text, className: string): FieldSchema {
  const { name, was } = text.names();
  text.expect(": ");
  const schema = readType(text);
  const readers = text.accept(", read by the owner and its group") ? "group"
    : text.accept(", read by the owner") ? "owner"
    : text.accept(", read by all but the owner") ? "others"
    : text.accept(", read by the server") ? "server"
    : "all";
  const byOwner = text.accept(", written by the owner");
  const byServer = !byOwner || text.accept(" and the server");
  const isInitial = text.accept(", sent once");
  text.end();
  return { name, was, schema, type: codecOf(schema), readers, byOwner, byServer, isInitial, className };
}

/** Reads a call, unless a field follows. */
function readCall(text: Text): CallSchema | undefined {
  const kind = text.match(CALL)?.trim() as CallSchema["kind"] | undefined;
  if (!kind) return undefined;
  const { name, was } = text.names();
  text.expect(" = ");
  const unityName = text.name();
  text.expect("(");
  const parameters = readMembers(text, ")");
  const afterState = text.accept(", after the state");
  text.end();
  return { name, was, kind, unityName, parameters, count: parameters.length, arguments: parameters.map((it) => codecOf(it.schema)), afterState };
}
