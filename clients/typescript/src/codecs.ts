// Codecs of the types of a schema: WIRE.md, section 2.

import { type Collection, dictionary, list, set } from "./collections.js";
import { FIXED_STRING, leaf, UNKNOWN } from "./leaves.js";
import { integer } from "./numbers.js";
import { type MemberSchema, readType, type TypeSchema, type VariantSchema } from "./parser.js";
import type { Leaves } from "./resolution/zero.js";
import { SMALLEST_THREE } from "./rotation.js";
import { Text } from "./text.js";
import { type Codec, type Encoding, fail, type Type } from "./types.js";
import { Reader, WireError, type Writer } from "./wire.js";

/** Types that are others by another name. */
const ALIASES: Record<string, string> = {
  Vector2: "{ x: f32, y: f32 }",
  Vector3: "{ x: f32, y: f32, z: f32 }",
  Vector4: "{ x: f32, y: f32, z: f32, w: f32 }",
  Quaternion: "{ x: f32, y: f32, z: f32, w: f32 }",
  Color: "{ r: f32, g: f32, b: f32, a: f32 }",
  Rect: "{ x: f32, y: f32, width: f32, height: f32 }",
  Plane: "{ normal: Vector3, distance: f32 }",
  Ray: "{ direction: Vector3, origin: Vector3 }",
  Ray2D: "{ origin: Vector2, direction: Vector2 }",
  Matrix4x4: "[f32; 16]",
  Mat2: "[f32; 4]",
  Mat3: "[f32; 9]",
  IVec2: "{ x: i32, y: i32 }",
  IVec3: "{ x: i32, y: i32, z: i32 }",
  IVec4: "{ x: i32, y: i32, z: i32, w: i32 }",
  UVec2: "{ x: u32, y: u32 }",
  UVec3: "{ x: u32, y: u32, z: u32 }",
  UVec4: "{ x: u32, y: u32, z: u32, w: u32 }",
  DVec2: "{ x: f64, y: f64 }",
  DVec3: "{ x: f64, y: f64, z: f64 }",
  DVec4: "{ x: f64, y: f64, z: f64, w: f64 }",
  DQuat: "{ x: f64, y: f64, z: f64, w: f64 }",
  Color32: "{ r: u8 as Fixed, g: u8 as Fixed, b: u8 as Fixed, a: u8 as Fixed }",
  NetId: "u32",
  NetRef: "u32",
  NetworkSceneId: "u32",
  LayerMask: "u32",
  OaDate: "f64",
  Postcard: "[u8]",
};

const COLLECTIONS: Record<string, (parts: Type[]) => Collection> = {
  SyncList: ([element]) => list(element),
  SyncDictionary: ([key, value]) => dictionary(key, value),
  SyncHashSet: ([element]) => set(element),
  SyncSortedSet: ([element]) => set(element),
};

/** Facts about types with a name, for a resolution. */
export const LEAVES: Leaves = {
  zero(name) {
    try {
      return codecOf({ kind: "named", name }).read(new Reader(new Uint8Array(64)));
    } catch {
      return undefined;
    }
  },
  alias: (name) => (name in ALIASES ? readType(new Text(ALIASES[name])) : undefined),
};

/** Encodings that a field chooses for its numbers. */
const ENCODINGS = ["ZigZag", "Fixed", "Bits", "Quantized", "Half"];

/** Returns the codec of a type, with its numbers in an encoding chosen for the field. */
export function codecOf(type: TypeSchema, encoding?: Encoding): Type {
  switch (type.kind) {
    case "named":
      return type.name in ALIASES ? codecOf(readType(new Text(ALIASES[type.name])), encoding) : leaf(type.name)(encoding);
    case "struct":
      return members(membersOf(type.members, encoding));
    case "enum":
      return enumeration(type.variants, encoding);
    case "sequence":
      return isNamed(type.of, "u8") ? BYTES : sequence(codecOf(type.of, encoding));
    case "set": {
      const of = codecOf(type.of, encoding);
      return elements(of.read, of.write, (all) => new Set(all));
    }
    case "optional":
      return optional(codecOf(type.of, encoding));
    case "array":
      return array(codecOf(type.of, encoding), type.length);
    case "map":
      return map(codecOf(type.key, encoding), codecOf(type.of, encoding));
    case "collection":
      return collection(type.name, type.parts, encoding);
    case "measured":
      return UNKNOWN;
    case "encoded":
      if (type.codec === "SmallestThree") return SMALLEST_THREE;
      return ENCODINGS.includes(type.codec) ? codecOf(type.of, { name: type.codec, parameters: type.parameters }) : UNKNOWN;
  }
}

function isNamed(type: TypeSchema, name: string): boolean {
  return type.kind === "named" && type.name === name;
}

function membersOf(schemas: MemberSchema[], encoding?: Encoding): [string, Type][] {
  return schemas.map(({ name, schema }) => [name, codecOf(schema, encoding)]);
}

/** Members one after another: an object, or an array if their names are positions. */
function members(parts: [string, Type][]): Codec {
  const isTuple = parts.length > 0 && parts.every(([name], index) => name === String(index));
  return {
    read(reader) {
      reader.visit(parts.length);
      const values = parts.map(([name, type]) => [name, type.read(reader)]);
      return isTuple ? values.map(([, value]) => value) : Object.fromEntries(values);
    },
    write(writer, value) {
      for (const [name, type] of parts) type.write(writer, value[name]);
    },
  };
}

/** Variant: its name, or an object of its name and its members. */
function enumeration(variants: VariantSchema[], encoding?: Encoding): Codec {
  const hasData = variants.some((variant) => variant.members.length);
  const parts = variants.map((variant) => (variant.members.length ? members(membersOf(variant.members, encoding)) : undefined));
  const signed = integer("variant", true, 32, false);
  return {
    read(reader) {
      // A number above 2^31 has the bits of a negative one.
      const number = hasData ? reader.varint() : signed.read(reader);
      const at = hasData ? number : variants.findIndex((it) => (it.number | 0) === number);
      const variant = variants[at];
      if (!variant) throw new WireError(`unknown variant ${number}`);
      return parts[at] ? { [variant.name]: parts[at].read(reader) } : variant.name;
    },
    write(writer, value) {
      const name = typeof value === "string" ? value : Object.keys(value)[0];
      const at = variants.findIndex((it) => it.name === name);
      if (at < 0) fail("variant", name);
      if (hasData) writer.varint(at);
      else signed.write(writer, variants[at].number | 0);
      parts[at]?.write(writer, value[name]);
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
  };
}

function array(of: Codec, length: number): Codec {
  if (of === FIXED_STRING) return of;
  return {
    read(reader) {
      reader.visit(length);
      return Array.from({ length }, () => of.read(reader));
    },
    write(writer, value) {
      for (let index = 0; index < length; index++) of.write(writer, value[index]);
    },
  };
}

/** Elements behind their number. */
function elements(read: (reader: Reader) => any, write: (writer: Writer, element: any) => void, from: (all: any[]) => any): Codec {
  return {
    read: (reader) => from(Array.from({ length: reader.count() }, () => read(reader))),
    write(writer, value) {
      const all = [...value];
      writer.varint(all.length);
      for (const element of all) write(writer, element);
    },
  };
}

function sequence(of: Codec): Codec {
  return elements((reader) => of.read(reader), (writer, it) => of.write(writer, it), (all) => all);
}

function map(keys: Codec, values: Codec): Codec {
  return elements(
    (reader) => [keys.read(reader), values.read(reader)],
    (writer, [key, it]) => {
      keys.write(writer, key);
      values.write(writer, it);
    },
    (all) => new Map(all),
  );
}

const BYTES: Codec = {
  read: (reader) => reader.take(reader.count()).slice(),
  write(writer, value) {
    writer.varint(value.length);
    writer.put(value);
  },
};

function collection(name: string, parts: TypeSchema[], encoding?: Encoding): Type {
  const make = COLLECTIONS[name];
  // Other types with parameters, such as `BehaviourRef<T>`, are known by their names.
  if (!make) return leaf(name)(encoding);
  const made = make(parts.map((part) => codecOf(part, encoding)));
  return { read: made.read, write: made.write, collection: made };
}
