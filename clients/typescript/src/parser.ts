// Types of a schema: WIRE.md, section 5, "The text of a schema".

import { type Names, NONE, type Text } from "./text.js";

/** Type of a value, as the schema describes it. */
export type TypeSchema =
  | { kind: "named"; name: string }
  | { kind: "struct"; name: string; members: MemberSchema[] }
  | { kind: "enum"; name: string; variants: VariantSchema[] }
  | { kind: "sequence" | "optional" | "set" | "measured"; of: TypeSchema }
  | { kind: "array"; of: TypeSchema; length: number }
  | { kind: "map"; key: TypeSchema; of: TypeSchema }
  | { kind: "collection"; name: string; parts: TypeSchema[] }
  | { kind: "encoded"; codec: string; parameters: number[]; of: TypeSchema };

/** Member of a struct or of a variant, or argument of a call. */
export interface MemberSchema extends Names {
  schema: TypeSchema;
}

/** Variant of an enumeration. */
export interface VariantSchema extends Names {
  number: number;
  /** Whether it stands for the variants that its build does not know. */
  isOther: boolean;
  members: MemberSchema[];
}

/** Most elements of an array. */
const MAX_ARRAY = 65_536;

/** Most types inside each other. */
const MAX_DEPTH = 64;

/** Bounds of the parameters of an encoding. */
const MAX_PARAMETER = 2 ** 53;

/** Reads a type, up to the text behind it. */
export function readType(text: Text, depth = 0): TypeSchema {
  let type = plain(text, depth + 1);
  // Each mark behind a type is a type around it.
  for (let around = depth; ; around++) {
    check(text, around);
    if (text.accept("?")) type = { kind: "optional", of: type };
    else if (text.accept(" measured")) type = { kind: "measured", of: type };
    else if (text.accept(" as ")) type = { kind: "encoded", codec: text.name(), parameters: parameters(text), of: type };
    else return type;
  }
}

function check(text: Text, depth: number): void {
  if (depth >= MAX_DEPTH) text.fail(`more than ${MAX_DEPTH} nested types`);
}

/** Reads members such as `a: u8, b: u8`, and the text behind the last one. */
export function readMembers(text: Text, end: string, depth = 0): MemberSchema[] {
  return list(text, end, () => {
    const { name, was } = text.names();
    text.expect(": ");
    return { name, was, schema: readType(text, depth) };
  });
}

function list<T>(text: Text, end: string, read: () => T): T[] {
  if (text.accept(end)) return NONE;
  const parts: T[] = [];
  for (;;) {
    parts.push(read());
    if (text.accept(end)) return parts;
    text.expect(", ");
  }
}

function parameters(text: Text): number[] {
  return text.accept("<") ? list(text, ">", () => {
    text.count();
    return text.number(-MAX_PARAMETER, MAX_PARAMETER);
  }) : [];
}

function plain(text: Text, depth: number): TypeSchema {
  check(text, depth);
  text.count();
  if (text.accept("{ ")) return { kind: "struct", name: "", members: inBraces(text, depth) };
  if (text.accept("{")) {
    const of = readType(text, depth);
    text.expect("}");
    return { kind: "set", of };
  }
  if (text.accept("[")) return bracket(text, depth);
  const name = text.name();
  if (text.accept(" { ")) return { kind: "struct", name, members: inBraces(text, depth) };
  if (text.accept(" [")) return { kind: "enum", name, variants: list(text, "]", () => variant(text, depth)) };
  if (text.accept("<")) return { kind: "collection", name, parts: list(text, ">", () => readType(text, depth)) };
  return { kind: "named", name };
}

/** Reads the members behind a brace. */
function inBraces(text: Text, depth: number): MemberSchema[] {
  return text.accept("}") ? [] : readMembers(text, " }", depth);
}

function bracket(text: Text, depth: number): TypeSchema {
  const of = readType(text, depth);
  let type: TypeSchema = { kind: "sequence", of };
  if (text.accept("; ")) type = { kind: "array", of, length: text.number(0, MAX_ARRAY) };
  else if (text.accept(": ")) type = { kind: "map", key: of, of: readType(text, depth) };
  text.expect("]");
  return type;
}

function variant(text: Text, depth: number): VariantSchema {
  const { name, was } = text.names();
  text.expect(" = ");
  const number = text.number(-(2 ** 31), 2 ** 32 - 1);
  const isOther = text.accept(" other");
  return { name, was, number, isOther, members: text.accept(" { ") ? inBraces(text, depth) : NONE };
}
