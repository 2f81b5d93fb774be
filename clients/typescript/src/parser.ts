// Types from the texts of the schema: WIRE.md, section 5.

import { type Collection, dictionary, list, set } from "./collections.js";
import { FIXED_STRING, leaf, UNKNOWN } from "./leaves.js";
import { integer } from "./numbers.js";
import { SMALLEST_THREE } from "./rotation.js";
import { type Codec, type Encoding, fail, type Make, type Type } from "./types.js";
import { type Reader, WireError, type Writer } from "./wire.js";

/** Types that are others by another name. */
const ALIASES: Record<string, string> = {
  Vector2: " { x: f32, y: f32 }",
  Vector3: " { x: f32, y: f32, z: f32 }",
  Vector4: " { x: f32, y: f32, z: f32, w: f32 }",
  Quaternion: " { x: f32, y: f32, z: f32, w: f32 }",
  Color: " { r: f32, g: f32, b: f32, a: f32 }",
  Rect: " { x: f32, y: f32, width: f32, height: f32 }",
  Plane: " { normal: Vector3, distance: f32 }",
  Ray: " { direction: Vector3, origin: Vector3 }",
  Ray2D: " { origin: Vector2, direction: Vector2 }",
  Matrix4x4: "[f32; 16]",
  Mat2: "[f32; 4]",
  Mat3: "[f32; 9]",
  IVec2: " { x: i32, y: i32 }",
  IVec3: " { x: i32, y: i32, z: i32 }",
  IVec4: " { x: i32, y: i32, z: i32, w: i32 }",
  UVec2: " { x: u32, y: u32 }",
  UVec3: " { x: u32, y: u32, z: u32 }",
  UVec4: " { x: u32, y: u32, z: u32, w: u32 }",
  DVec2: " { x: f64, y: f64 }",
  DVec3: " { x: f64, y: f64, z: f64 }",
  DVec4: " { x: f64, y: f64, z: f64, w: f64 }",
  DQuat: " { x: f64, y: f64, z: f64, w: f64 }",
  Color32: " { r: u8 as Fixed, g: u8 as Fixed, b: u8 as Fixed, a: u8 as Fixed }",
  NetId: "u32",
  NetRef: "u32",
  NetworkSceneId: "u32",
  LayerMask: "u32",
  OaDate: "f64",
  Postcard: "[u8]",
};

/** Members one after another: an object, or an array if their names are positions. */
function members(parts: [string, Type][]): Codec {
  const isTuple = parts.length > 0 && parts.every(([name], index) => name === String(index));
  return {
    read(reader) {
      const values = parts.map(([name, type]) => [name, type.read(reader)]);
      return isTuple ? values.map(([, value]) => value) : Object.fromEntries(values);
    },
    write(writer, value) {
      for (const [name, type] of parts) type.write(writer, value[name]);
    },
  };
}

interface Variant {
  name: string;
  number: number;
  parts?: Make;
}

/** Variant: its name, or an object of its name and its members. */
function enumeration(variants: Variant[], encoding?: Encoding): Codec {
  const hasData = variants.some((variant) => variant.parts);
  const parts = variants.map((variant) => variant.parts?.(encoding));
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

/** Elements behind their number. */
function sequence(read: (reader: Reader) => any, write: (writer: Writer, element: any) => void, from: (all: any[]) => any): Codec {
  return {
    read(reader) {
      return from(Array.from({ length: reader.count() }, () => read(reader)));
    },
    write(writer, value) {
      const elements = [...value];
      writer.varint(elements.length);
      for (const element of elements) write(writer, element);
    },
  };
}

const BYTES: Codec = {
  read: (reader) => reader.take(reader.count()).slice(),
  write(writer, value) {
    writer.varint(value.length);
    writer.put(value);
  },
};

/** Longest array of a type. */
const MAX_ARRAY = 65_536;

const COLLECTIONS: Record<string, (parts: Type[]) => Collection> = {
  SyncList: ([element]) => list(element),
  SyncDictionary: ([key, value]) => dictionary(key, value),
  SyncHashSet: ([element]) => set(element),
  SyncSortedSet: ([element]) => set(element),
};

/** Parser of a type text. */
export class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  /** Reads one type, up to the text behind it. */
  type(): Make {
    let make = this.plain();
    for (;;) {
      const inner = make;
      if (this.accept("?")) {
        make = (encoding) => {
          const value = inner(encoding);
          return {
            read: (reader) => (reader.bool() ? value.read(reader) : null),
            write(writer, it) {
              writer.u8(it == null ? 0 : 1);
              if (it != null) value.write(writer, it);
            },
          };
        };
      } else if (this.accept(" as ")) {
        const encoding = { name: this.name(), parameters: [] as number[] };
        if (this.accept("<")) encoding.parameters = this.until(">").split(", ").map(Number);
        const known = ["ZigZag", "Fixed", "Bits", "Quantized", "Half"].includes(encoding.name);
        make = () => (encoding.name === "SmallestThree" ? SMALLEST_THREE : known ? inner(encoding) : UNKNOWN);
      } else return make;
    }
  }

  /** Reads members such as `a: u8, b: u8`, up to the text behind the last one. */
  members(end: string): [string, Make][] {
    const parts: [string, Make][] = [];
    while (!this.accept(end)) {
      this.accept(",");
      this.accept(" ");
      if (this.accept(end)) break;
      const name = this.until(": ");
      parts.push([name, this.type()]);
    }
    return parts;
  }

  /** Takes all up to a text, and that text. */
  until(end: string): string {
    const to = this.text.indexOf(end, this.at);
    if (to < 0) throw new WireError(`no "${end}" in the type ${this.text}`);
    const found = this.text.slice(this.at, to);
    this.at = to + end.length;
    return found;
  }

  rest(): string {
    return this.text.slice(this.at);
  }

  private plain(): Make {
    if (this.accept("[")) return this.bracket();
    if (this.accept("{")) {
      const element = this.type();
      this.expect("}");
      return (encoding) => {
        const of = element(encoding);
        return sequence((reader) => of.read(reader), (writer, it) => of.write(writer, it), (all) => new Set(all));
      };
    }
    const name = this.name();
    if (this.accept(" {")) {
      const parts = this.members("}");
      return (encoding) => members(parts.map(([part, make]) => [part, make(encoding)]));
    }
    if (this.accept(" [")) return this.variants();
    if (name in COLLECTIONS && this.accept("<")) {
      const parts = [this.type()];
      while (this.accept(", ")) parts.push(this.type());
      this.expect(">");
      return (encoding) => {
        const collection = COLLECTIONS[name](parts.map((make) => make(encoding)));
        return { read: collection.read, write: collection.write, collection };
      };
    }
    if (this.accept("<")) this.until(">");
    return name in ALIASES ? new Parser(ALIASES[name]).type() : leaf(name);
  }

  private bracket(): Make {
    const element = this.type();
    if (this.accept("; ")) {
      const length = Number(this.until("]"));
      if (!(length <= MAX_ARRAY)) throw new WireError(`an array of ${length} elements`);
      return (encoding) => {
        const of = element(encoding);
        if (of === FIXED_STRING) return of;
        return members(Array.from({ length }, (_, index) => [String(index), of]));
      };
    }
    if (this.accept(": ")) {
      const value = this.type();
      this.expect("]");
      return (encoding) => {
        const [keys, values] = [element(encoding), value(encoding)];
        return sequence(
          (reader) => [keys.read(reader), values.read(reader)],
          (writer, [key, it]) => {
            keys.write(writer, key);
            values.write(writer, it);
          },
          (all) => new Map(all),
        );
      };
    }
    const isBytes = this.text.slice(0, this.at).endsWith("[u8");
    this.expect("]");
    return (encoding) => {
      if (isBytes) return BYTES;
      const of = element(encoding);
      return sequence((reader) => of.read(reader), (writer, it) => of.write(writer, it), (all) => all);
    };
  }

  private variants(): Make {
    const variants: Variant[] = [];
    while (!this.accept("]")) {
      this.accept(", ");
      const name = this.until(" = ");
      const number = Number(/^-?\d+/.exec(this.rest())?.[0]);
      this.at += String(number).length;
      const parts = this.accept(" {") ? this.members("}") : undefined;
      variants.push({ name, number, parts: parts && ((encoding) => members(parts.map(([part, make]) => [part, make(encoding)]))) });
    }
    return (encoding) => enumeration(variants, encoding);
  }

  private name(): string {
    const name = /^\w*/.exec(this.rest())?.[0] ?? "";
    this.at += name.length;
    return name;
  }

  accept(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private expect(text: string): void {
    if (!this.accept(text)) throw new WireError(`"${text}" is missing in the type ${this.text}`);
  }
}
