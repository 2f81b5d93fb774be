// Codecs of the types of a schema: WIRE.md, section 2.

import { type Collection, dictionary, list, set } from "./collections.js";
import { map, ordered, sequence } from "./elements.js";
import { rankOf, writeAt } from "./keys.js";
import { leaf, text, UNKNOWN } from "./leaves.js";
import { integer } from "./numbers.js";
import { type MemberSchema, readType, type TypeSchema, type VariantSchema } from "./parser.js";
import type { Leaves } from "./resolution/zero.js";
import { SMALLEST_THREE } from "./rotation.js";
import { Text } from "./text.js";
import { bytesOf, type Codec, demand, type Encoding, fail, type Type } from "./types.js";
import { Reader, WireError } from "./wire.js";

/** Returns the text of a struct whose members have one type, and one letter each. */
const struct = (names: string, type: string): string => `{ ${[...names].map((name) => `${name}: ${type}`).join(", ")} }`;

/** Types that are others by another name. */
const ALIASES = new Map(Object.entries({
  Vector2: struct("xy", "f32"),
  Vector3: struct("xyz", "f32"),
  Vector4: struct("xyzw", "f32"),
  Quaternion: struct("xyzw", "f32"),
  Color: struct("rgba", "f32"),
  Rect: "{ x: f32, y: f32, width: f32, height: f32 }",
  Plane: "{ normal: Vector3, distance: f32 }",
  Ray: "{ direction: Vector3, origin: Vector3 }",
  Ray2D: "{ origin: Vector2, direction: Vector2 }",
  Matrix4x4: "[f32; 16]",
  Mat2: "[f32; 4]",
  Mat3: "[f32; 9]",
  IVec2: struct("xy", "i32"),
  IVec3: struct("xyz", "i32"),
  IVec4: struct("xyzw", "i32"),
  UVec2: struct("xy", "u32"),
  UVec3: struct("xyz", "u32"),
  UVec4: struct("xyzw", "u32"),
  DVec2: struct("xy", "f64"),
  DVec3: struct("xyz", "f64"),
  DVec4: struct("xyzw", "f64"),
  DQuat: struct("xyzw", "f64"),
  Color32: struct("rgba", "u8 as Fixed"),
  NetId: "u32",
  NetRef: "u32",
  NetworkSceneId: "u32",
  LayerMask: "u32",
  OaDate: "f64",
  Postcard: "[u8]",
}));

const COLLECTIONS = new Map<string, (parts: Type[], types: TypeSchema[]) => Collection>([
  ["SyncList", ([element], [type]) => list(element, isNamed(type, "u8") ? BYTE : element)],
  ["SyncDictionary", ([key, value]) => dictionary(key, value)],
  ["SyncHashSet", ([element]) => set(element)],
  ["SyncSortedSet", ([element]) => set(element)],
]);

/** Facts about types with a name, for a resolution. */
export const LEAVES: Leaves = {
  zero(name) {
    try {
      return codecOf({ kind: "named", name }).read(new Reader(new Uint8Array(64)));
    } catch {
      return undefined;
    }
  },
  alias,
};

/** Returns the type that this one is by another name. */
function alias(name: string): TypeSchema | undefined {
  const found = ALIASES.get(name);
  return found === undefined ? undefined : readType(new Text(found));
}

/** Codecs of these types, and of numbers, without an encoding. */
const shared = new Map<string, Type>();

/**
 * Returns the form of a type of the program, such as `codec("{ name: String, team: u8 }")`, for the payloads of a request to join and of its
 * refusal. The text is that of a schema. `encode` throws as `set` does.
 */
export function codec(type: string): { encode(value: any): Uint8Array; decode(bytes: Uint8Array): any } {
  const text = new Text(type);
  const form = codecOf(readType(text));
  text.finish("the end of the type");
  return {
    encode: (value) => bytesOf(form, value, "value"),
    decode(bytes) {
      const reader = new Reader(bytes);
      const value = form.read(reader);
      reader.finish("a value");
      return value;
    },
  };
}

/** Encodings that a field chooses for its numbers. */
const ENCODINGS = ["ZigZag", "Fixed", "Bits", "Quantized", "Half"];

/** Returns the codec of a type, with its numbers in an encoding chosen for the field. */
export function codecOf(type: TypeSchema, encoding?: Encoding): Type {
  switch (type.kind) {
    case "named": {
      const known = encoding ? undefined : shared.get(type.name);
      if (known) return known;
      const other = alias(type.name);
      const made = other ? codecOf(other, encoding) : leaf(type.name)(encoding);
      // The program may register others later.
      if (!encoding && (other || made.form)) shared.set(type.name, made);
      return made;
    }
    case "struct":
      return members(type.members, encoding);
    case "enum":
      return enumeration(type.variants, encoding);
    case "sequence":
      return isNamed(type.of, "u8") ? BYTES : sequence(codecOf(type.of, encoding));
    case "set":
      return ordered(codecOf(type.of, encoding));
    case "optional":
      return optional(codecOf(type.of, encoding));
    case "array":
      return isNamed(type.of, "FixedString") ? text(type.length) : array(codecOf(type.of, encoding), type.length);
    case "map":
      return map(codecOf(type.key, encoding), codecOf(type.of, encoding));
    case "collection":
      return collection(type.name, type.parts, encoding);
    case "measured":
      return type.of.kind === "named" ? leaf(type.of.name)() : UNKNOWN;
    case "encoded":
      if (type.codec === "SmallestThree") return SMALLEST_THREE;
      return ENCODINGS.includes(type.codec) ? codecOf(type.of, { name: type.codec, parameters: type.parameters }) : leaf(type.codec)();
  }
}

function isNamed(type: TypeSchema, name: string): boolean {
  return type.kind === "named" && type.name === name;
}

/** Members one after another: an object, or an array if their names are positions. */
function members(parts: MemberSchema[], encoding?: Encoding): Codec {
  const isTuple = parts.length > 0 && parts.every(({ name }, index) => name === String(index));
  const [names, types] = [parts.map(({ name }) => name), parts.map(({ schema }) => codecOf(schema, encoding))];
  let places: string[] | undefined;
  // An assignment of this name changes the prototype.
  const isOdd = names.includes("__proto__");
  return {
    read(reader) {
      reader.visit(types.length);
      if (isTuple) return types.map((type) => type.read(reader));
      if (isOdd) return Object.fromEntries(types.map((type, at) => [names[at], type.read(reader)]));
      const value: any = {};
      for (let at = 0; at < types.length; at++) value[names[at]] = types[at].read(reader);
      return value;
    },
    write(writer, value) {
      demand(isTuple ? Array.isArray(value) : typeof value === "object" && value !== null, isTuple ? "tuple" : "struct", value);
      places ??= names.map((name) => (isTuple ? `[${name}]` : `.${name}`));
      for (let at = 0; at < types.length; at++) writeAt(types[at], writer, value[names[at]], places[at]);
    },
    rank: (value) => types.map((type, at) => rankOf(type, value[names[at]])),
  };
}

/** Variant: its name, or an object of its name and its members. */
function enumeration(variants: VariantSchema[], encoding?: Encoding): Codec {
  const hasData = variants.some((variant) => variant.members.length);
  const parts = variants.map((variant) => (variant.members.length ? members(variant.members, encoding) : undefined));
  const numbers = new Map<number, number>();
  // Of two equal numbers the first counts.
  for (let at = variants.length; at-- > 0; ) numbers.set(variants[at].number | 0, at);
  const signed = integer("variant", true, 32, false);
  const find = (value: any): { at: number; name: string } => {
    const isName = typeof value === "string";
    demand(isName || (typeof value === "object" && value !== null), "variant", value);
    const name = isName ? value : Object.keys(value)[0];
    const at = variants.findIndex((it) => it.name === name);
    if (at < 0 || isName === (parts[at] !== undefined)) fail("variant", isName ? value : name);
    return { at, name };
  };
  return {
    read(reader) {
      // A number above 2^31 has the bits of a negative one.
      const number = hasData ? reader.varint() : signed.read(reader);
      const at = hasData ? number : (numbers.get(number) ?? -1);
      const variant = variants[at];
      if (!variant) throw new WireError(`unknown variant ${number}`);
      return parts[at] ? { [variant.name]: parts[at].read(reader) } : variant.name;
    },
    write(writer, value) {
      const { at, name } = find(value);
      if (hasData) writer.varint(at);
      else signed.write(writer, variants[at].number | 0);
      if (parts[at]) writeAt(parts[at], writer, value[name], `.${name}`);
    },
    rank(value) {
      const { at, name } = find(value);
      return [hasData ? at : variants[at].number, parts[at] ? rankOf(parts[at], value[name]) : []];
    },
  };
}

function optional(value: Codec): Codec {
  return {
    read: (reader) => (reader.bool() ? value.read(reader) : null),
    write(writer, it) {
      writer.u8(it == null ? 0 : 1);
      if (it != null) value.write(writer, it);
    },
    rank: (it) => (it == null ? [] : [rankOf(value, it)]),
  };
}

function array(of: Codec, length: number): Codec {
  return {
    read(reader) {
      reader.visit(length);
      return Array.from({ length }, () => of.read(reader));
    },
    write(writer, value) {
      demand(Array.isArray(value), "array", value);
      if (value.length !== length) throw new RangeError(`: ${value.length} elements in the place of ${length}`);
      for (let index = 0; index < length; index++) writeAt(of, writer, value[index], `[${index}]`);
    },
    rank: (value) => value.map((it: any) => rankOf(of, it)),
  };
}

const BYTE = integer("u8", false, 8, false, { name: "Fixed", parameters: [] });

const BYTES: Codec = {
  read: (reader) => reader.take(reader.count()).slice(),
  write(writer, value) {
    demand(value instanceof Uint8Array, "Uint8Array", value);
    writer.varint(value.length);
    writer.put(value);
  },
  rank: (value) => [...value],
};

function collection(name: string, parts: TypeSchema[], encoding?: Encoding): Type {
  const make = COLLECTIONS.get(name);
  // Other types with parameters, such as `BehaviourRef<T>`, are known by their names.
  if (!make) return leaf(name)(encoding);
  const made = make(parts.map((part) => codecOf(part, encoding)), parts);
  return { read: made.read, write: made.write, collection: made };
}
