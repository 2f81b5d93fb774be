// The value of a part that the other build lacks.

import type { MemberSchema, TypeSchema } from "../parser.js";
import type { Schema } from "../schema.js";

/** Facts about types with a name, which the client knows. */
export interface Leaves {
  /** Returns the value of bytes of 0; `undefined` for a type that the client does not know. */
  zero(name: string): any;
  /** Returns the type that this one is by another name. */
  alias(name: string): TypeSchema | undefined;
}

/** Returns whether the members have positions in the place of names. */
export const isTuple = (members: readonly MemberSchema[]): boolean => members.length > 0 && members.every(({ name }, at) => name === String(at));

/** Returns members with the values of a function, as the client gives them to the program. */
export function structure(members: readonly MemberSchema[], value: (member: MemberSchema) => any): any {
  return isTuple(members) ? members.map(value) : Object.fromEntries(members.map((it) => [it.name, value(it)]));
}

/** Most values in the place of missing ones. A schema can state an array of any length in a few bytes. */
export const MAX_ZEROS = 65_536;

/** Returns the number of values in a value 0. */
export function weight(type: TypeSchema): number {
  const sum = (members: readonly MemberSchema[]): number => members.reduce((all, it) => all + weight(it.schema), 1);
  switch (type.kind) {
    case "struct":
      return sum(type.members);
    case "enum":
      return sum(type.variants[0]?.members ?? []);
    case "array":
      return type.length * weight(type.of);
    case "encoded":
      return weight(type.of);
    default:
      return 1;
  }
}

/**
 * Returns the value 0: an empty text, no elements, the first variant; 1 for a number that is never 0. `undefined` for a type that
 * the client does not know, and for more than 65 536 values in arrays.
 */
export function zero(type: TypeSchema, leaves: Leaves): any {
  return weight(type) > MAX_ZEROS ? undefined : zeroOf(type, leaves);
}

function zeroOf(type: TypeSchema, leaves: Leaves): any {
  const of = (it: TypeSchema): any => zeroOf(it, leaves);
  switch (type.kind) {
    case "named":
      if (type.name.startsWith("NonZero")) return /64|128/.test(type.name) ? 1n : 1;
      return leaves.zero(type.name);
    case "struct":
      return structure(type.members, (it) => of(it.schema));
    case "enum": {
      const [first] = type.variants;
      return first?.members.length ? { [first.name]: structure(first.members, (it) => of(it.schema)) } : first?.name;
    }
    case "sequence":
      return type.of.kind === "named" && type.of.name === "u8" ? new Uint8Array() : [];
    case "array":
      return type.of.kind === "named" && type.of.name === "FixedString" ? "" : Array.from({ length: type.length }, () => of(type.of));
    case "optional":
      return null;
    case "set":
      return new Set();
    case "map":
      return new Map();
    case "collection":
      return type.name === "SyncList" ? [] : type.name === "SyncDictionary" ? new Map() : new Set();
    case "measured":
      return undefined;
    case "encoded":
      return type.codec === "SmallestThree" ? { x: 0, y: 0, z: 0, w: 1 } : of(type.of);
  }
}

/** Returns whether a type of this name occurs in a schema. */
export function mentions(schema: Schema, name: string): boolean {
  const behaviours = schema.prefabs.flatMap((it) => it.behaviours);
  const fields = behaviours.flatMap((it) => it.fields.map((field) => field.schema));
  const members = behaviours.flatMap((it) => it.calls.flatMap((call) => call.parameters.map((part) => part.schema)));
  return [...fields, ...members, ...schema.messages.map((it) => it.schema)].some((it) => includes(it, name));
}

function includes(type: TypeSchema, name: string): boolean {
  if (type.kind === "named") return type.name === name;
  return partsOf(type).some((it) => includes(it, name));
}

/** Returns the types inside of a type. */
function partsOf(type: TypeSchema): TypeSchema[] {
  switch (type.kind) {
    case "named":
      return [];
    case "struct":
      return type.members.map((it) => it.schema);
    case "enum":
      return type.variants.flatMap((it) => it.members.map((member) => member.schema));
    case "map":
      return [type.key, type.of];
    case "collection":
      return type.parts;
    default:
      return [type.of];
  }
}

/** Returns a type in this one that the client does not know, and whose values it cannot skip. */
export function unknown(type: TypeSchema, leaves: Leaves): string | undefined {
  switch (type.kind) {
    case "named":
      return zero(type, leaves) === undefined ? type.name : undefined;
    case "collection":
      if (!["SyncList", "SyncDictionary", "SyncHashSet", "SyncSortedSet"].includes(type.name)) return type.name;
      break;
    case "measured":
      return type.of.kind === "named" ? type.of.name : "measured";
    case "encoded":
      if (!["ZigZag", "Fixed", "Bits", "Quantized", "Half", "SmallestThree"].includes(type.codec)) return type.codec;
      break;
  }
  return partsOf(type).map((it) => unknown(it, leaves)).find((it) => it !== undefined);
}
