// The text of a type, for the reasons of a refusal.

import type { MemberSchema, TypeSchema, VariantSchema } from "../parser.js";
import type { CallSchema } from "../schema.js";
import type { Names } from "../text.js";

const list = <T>(parts: readonly T[], text: (part: T) => string): string => parts.map(text).join(", ");

const name = (text: string): string => (/^[\p{Alphabetic}\p{N}_][\p{Alphabetic}\p{N}_./-]*$/u.test(text) ? text : JSON.stringify(text));

const names = (part: Names): string => [part.name, ...part.was].map(name).join(" was ");

const member = (it: MemberSchema): string => `${names(it)}: ${print(it.schema)}`;

const members = (all: readonly MemberSchema[]): string => (all.length ? `{ ${list(all, member)} }` : "{ }");

function variant(it: VariantSchema): string {
  return `${names(it)} = ${it.number}${it.isOther ? " other" : ""}${it.members.length ? ` ${members(it.members)}` : ""}`;
}

/** Returns the text of a call, as in a schema. */
export function signature(call: CallSchema): string {
  return `${call.kind} ${names(call)} = ${name(call.unityName)}(${list(call.parameters, member)})${call.afterState ? ", after the state" : ""}`;
}

/** Returns the text of a type, as in a schema. */
export function print(type: TypeSchema): string {
  switch (type.kind) {
    case "named":
      return name(type.name);
    case "struct":
      return (type.name ? `${name(type.name)} ` : "") + members(type.members);
    case "enum":
      return `${name(type.name)} [${list(type.variants, variant)}]`;
    case "sequence":
      return `[${print(type.of)}]`;
    case "array":
      return `[${print(type.of)}; ${type.length}]`;
    case "optional":
      return `${print(type.of)}?`;
    case "set":
      return `{${print(type.of)}}`;
    case "map":
      return `[${print(type.key)}: ${print(type.of)}]`;
    case "collection":
      return `${name(type.name)}<${list(type.parts, print)}>`;
    case "measured":
      return `${print(type.of)} measured`;
    case "encoded":
      return `${print(type.of)} as ${name(type.codec)}${type.parameters.length ? `<${list(type.parameters, String)}>` : ""}`;
  }
}
