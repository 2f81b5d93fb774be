// Types of values, from the texts of the schema: WIRE.md, sections 2 and 5.

import { type Collection, dictionary, list, set } from "./collections.js";
import { type Reader, WireError, type Writer } from "./wire.js";

/** Form of a type on the wire. `write` throws a `RangeError` for a value that the type cannot hold. */
export interface Codec {
  read(reader: Reader): any;
  write(writer: Writer, value: any): void;
}

/** Type of a field. */
export interface Type extends Codec {
  /** Operations of a collection. */
  collection?: Collection;
}

/** Value of a type that this client does not know. Its length, and all behind it, are unknown. */
export class Unreadable extends Error {}

/** Encoding chosen for a field: its name and parameters. */
interface Encoding {
  name: string;
  parameters: number[];
}

/** Maker of a codec in an encoding chosen for the field. */
type Make = (encoding?: Encoding) => Type;

const UNKNOWN: Codec = {
  read: () => {
    throw new Unreadable();
  },
  write: () => {
    throw new RangeError("a type that this client does not know");
  },
};

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

function fail(what: string, value: unknown): never {
  throw new RangeError(`${String(value)} is no ${what}`);
}

function integer(name: string, signed: boolean, bits: number, nonZero: boolean, encoding?: Encoding): Type {
  const wide = bits > 32;
  const fixed = encoding?.name === "Fixed" || encoding?.name === "Bits";
  const width = encoding?.name === "Bits" ? encoding.parameters[0] : bits;
  const max = (1n << BigInt(width)) - 1n;
  return {
    read(reader) {
      let raw: bigint;
      if (fixed) raw = reader.low(Math.ceil(width / 8));
      else if (wide) raw = reader.wide(width);
      else raw = BigInt(reader.varint());
      if (raw > max || (nonZero && !raw)) throw new WireError(`${raw} is no ${name}`);
      let value = raw;
      if (signed) value = fixed ? BigInt.asIntN(width, raw) : raw & 1n ? -(raw + 1n >> 1n) : raw >> 1n;
      return wide ? value : Number(value);
    },
    write(writer, value) {
      if (!wide && !Number.isInteger(value)) fail(name, value);
      const big = BigInt(value);
      if (big !== (signed ? BigInt.asIntN(width, big) : BigInt.asUintN(width, big)) || (nonZero && !big)) fail(name, value);
      if (fixed) writer.low(BigInt.asUintN(width, big), Math.ceil(width / 8));
      else writer.varint(!signed ? big : big < 0n ? -2n * big - 1n : 2n * big);
    },
  };
}

function float(bits: number, encoding?: Encoding): Type {
  const round = bits === 32 ? Math.fround : Number;
  if (encoding?.name === "Half") return { read: (reader) => fromHalf(reader.u16()), write: (writer, value) => writer.u16(toHalf(value)) };
  if (encoding?.name === "Quantized") {
    const [min, max, perUnit] = encoding.parameters;
    const last = (max - min) * perUnit;
    const bytes = last < 256 ? 1 : last < 65536 ? 2 : last < 2 ** 24 ? 3 : 4;
    return {
      read(reader) {
        const step = Number(reader.low(bytes));
        if (step > last) throw new WireError(`step ${step} of ${last}`);
        return round(min + step / perUnit);
      },
      write(writer, value) {
        if (Number.isNaN(value)) fail("float", value);
        const step = Math.round((value - min) * perUnit);
        writer.low(BigInt(Math.min(Math.max(step, 0), last)), bytes);
      },
    };
  }
  return bits === 32
    ? { read: (reader) => reader.f32(), write: (writer, value) => writer.f32(value) }
    : { read: (reader) => reader.f64(), write: (writer, value) => writer.f64(value) };
}

function fromHalf(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent ? sign * 2 ** (exponent - 15) * (1 + fraction / 1024) : sign * 2 ** -24 * fraction;
}

function toHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  // The number of its last place, and a tie to the even one.
  const exponent = Math.max(Math.floor(Math.log2(size || 2 ** -24)), -14);
  const steps = size / 2 ** (exponent - 10);
  let whole = Math.floor(steps);
  if (steps - whole > 0.5 || (steps - whole === 0.5 && whole & 1)) whole++;
  return sign | ((exponent + 14) * 1024 + whole);
}

const STEPS = 511 * Math.SQRT2;
const AXES = ["x", "y", "z", "w"] as const;

function largest(turn: any): number {
  const sizes = AXES.map((axis) => Math.abs(turn[axis]));
  return sizes.indexOf(Math.max(...sizes));
}

/** Rotation with this largest component and these steps of the others. */
function rotation(omitted: number, steps: number[]): any {
  const others = steps.map((step) => step / STEPS);
  const rest = 1 - others.reduce((sum, it) => sum + it * it, 0);
  others.splice(omitted, 0, Math.sqrt(Math.max(rest, 0)));
  return Object.fromEntries(AXES.map((axis, index) => [axis, Math.fround(others[index])]));
}

const SMALLEST_THREE: Codec = {
  read(reader) {
    const bits = reader.u32();
    const steps = [20, 10, 0].map((shift) => ((bits >>> shift) & 1023) - 511);
    const turn = rotation(bits >>> 30, steps);
    if (steps.some((step) => step > 511) || largest(turn) !== bits >>> 30) throw new WireError("no rotation");
    return turn;
  },
  write(writer, value) {
    const parts = AXES.map((axis) => value[axis]);
    const length = Math.hypot(...parts);
    if (!Number.isFinite(length)) fail("rotation", length);
    let omitted = length ? largest(value) : 3;
    const [left] = parts.splice(omitted, 1);
    const scale = length ? (STEPS * (left < 0 ? -1 : 1)) / length : 0;
    const steps = parts.map((part) => Math.sign(part * scale) * Math.round(Math.abs(part * scale)));
    // Of two nearly equal components the rounding may exchange the larger one.
    while (largest(rotation(omitted, steps)) !== omitted) {
      const sizes = steps.map(Math.abs);
      const at = sizes.indexOf(Math.max(...sizes));
      steps[at] -= Math.sign(steps[at]);
    }
    writer.u32(steps.reduce((bits, step) => bits * 1024 + step + 511, omitted));
  },
};

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Bytes of a hexadecimal text. */
export function fromHex(text: string): Uint8Array {
  const digits = text.replaceAll("-", "");
  if (!/^([0-9a-fA-F]{2})*$/.test(digits)) fail("hexadecimal text", text);
  return Uint8Array.from(digits.match(/../g) ?? [], (byte) => parseInt(byte, 16));
}

function hash(grouped: boolean): Codec {
  return {
    read: (reader) => (grouped ? hex(reader.take(16)).replace(/(.{8})(....)(....)(....)/, "$1-$2-$3-$4-") : hex(reader.take(16))),
    write(writer, value) {
      const bytes = fromHex(value);
      if (bytes.length !== 16) fail("text of 16 bytes", value);
      writer.put(bytes);
    },
  };
}

/** Longest array of a type. */
const MAX_ARRAY = 65_536;

const NANOS = 1_000_000_000;
const CHARACTER = integer("char", false, 32, false);

const LEAVES: Record<string, Codec> = {
  bool: { read: (reader) => reader.bool(), write: (writer, value) => writer.u8(value ? 1 : 0) },
  String: { read: (reader) => reader.text(reader.count()), write: (writer, value) => writer.text(value) },
  FixedString: { read: (reader) => reader.text(reader.count()), write: (writer, value) => writer.text(value) },
  NetworkHash128: hash(false),
  Uuid: hash(true),
  // In seconds.
  Duration: {
    read(reader) {
      const [seconds, nanos] = [Number(reader.wide(64)), reader.varint()];
      if (nanos >= NANOS) throw new WireError(`${nanos} nanoseconds`);
      return seconds + nanos / NANOS;
    },
    write(writer, value) {
      if (!(value >= 0)) fail("duration", value);
      const nanos = Math.round((value % 1) * NANOS);
      writer.varint(Math.floor(value) + (nanos === NANOS ? 1 : 0));
      writer.varint(nanos % NANOS);
    },
  },
  // A text such as "1.10".
  Decimal: {
    read(reader) {
      const [digits, flags] = [reader.low(12), reader.u32()];
      const scale = (flags >>> 16) & 255;
      if (scale > 28 || flags & 0x7f00ffff) throw new WireError(`a decimal with the flags ${flags}`);
      const text = digits.toString().padStart(scale + 1, "0");
      const point = text.length - scale;
      return (flags >>> 31 ? "-" : "") + text.slice(0, point) + (scale ? `.${text.slice(point)}` : "");
    },
    write(writer, value) {
      const [, sign, whole, part = ""] = /^(-?)(\d+)(?:\.(\d{1,28}))?$/.exec(value) ?? fail("decimal", value);
      const digits = BigInt(whole + part);
      if (digits >> 96n) fail("decimal", value);
      writer.low(digits, 12);
      writer.u32(part.length * 65536 + (sign ? 2 ** 31 : 0));
    },
  },
  BehaviourRef: {
    read(reader) {
      const object = reader.varint();
      return object ? { object, behaviour: reader.varint() } : null;
    },
    write(writer, value) {
      writer.varint(value?.object ?? 0);
      if (value?.object) writer.varint(value.behaviour);
    },
  },
};

/** Leaf type of this name. */
function leaf(name: string): Make {
  const number = /^(NonZero)?([uiUI])(8|16|32|64|128)$/.exec(name);
  if (number) return (encoding) => integer(name, /i/i.test(number[2]), Number(number[3]), !!number[1], encoding);
  if (name === "f32" || name === "f64") return (encoding) => float(Number(name.slice(1)), encoding);
  if (name === "char") {
    return (encoding) => {
      const code = encoding?.name === "Fixed" ? integer(name, false, 32, false, encoding) : CHARACTER;
      return {
        read(reader) {
          const value = code.read(reader);
          if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) throw new WireError(`${value} is no char`);
          return String.fromCodePoint(value);
        },
        write: (writer, value) => code.write(writer, value.codePointAt(0)),
      };
    };
  }
  if (name in ALIASES) return new Parser(ALIASES[name]).type();
  return () => LEAVES[name.startsWith("BehaviourRef") ? "BehaviourRef" : name] ?? UNKNOWN;
}

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
    return leaf(name);
  }

  private bracket(): Make {
    const element = this.type();
    if (this.accept("; ")) {
      const length = Number(this.until("]"));
      if (!(length <= MAX_ARRAY)) throw new WireError(`an array of ${length} elements`);
      return (encoding) => {
        const of = element(encoding);
        if (of === LEAVES.FixedString) return of;
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
