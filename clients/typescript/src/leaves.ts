// Types with a name: WIRE.md, section 2.

import { float, integer } from "./numbers.js";
import { type Codec, demandType, fail, type Make, Unreadable } from "./types.js";
import { utf8Of, WireError } from "./wire.js";

export const UNKNOWN: Codec = {
  read: () => {
    throw new Unreadable();
  },
  write: (_, value) => fail("value of a known type", value),
};

/** Longest text in bytes. */
const MAX_TEXT = 32_767;

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
      demandType("string", "text of 16 bytes", value);
      const bytes = fromHex(value);
      if (bytes.length !== 16) fail("text of 16 bytes", value);
      writer.put(bytes);
    },
    rank: (value) => value.toLowerCase().replaceAll("-", ""),
  };
}

/** Text of at most this many bytes. */
export function text(most = MAX_TEXT): Codec {
  const isFixed = most < MAX_TEXT;
  return {
    read(reader) {
      const length = reader.count();
      if (isFixed && length > most) throw new WireError(`a text of ${length} bytes, beyond ${most}`);
      return reader.text(length);
    },
    write(writer, value) {
      demandType("string", "text", value);
      const bytes = utf8Of(value);
      if (bytes.length > most) throw new RangeError(`: a text of ${bytes.length} bytes, beyond ${most}`);
      writer.varint(bytes.length);
      writer.put(bytes);
    },
    // Texts have the order of their characters: units of a surrogate pair would be below U+E000.
    rank: (value) => Array.from<string, number>(value, pointOf),
  };
}

const pointOf = (character: string): number => character.codePointAt(0)!;

const NANOS = 1_000_000_000;
const CHARACTER = integer("char", false, 32, false);
const ID = integer("id", false, 32, false);

/** Most behaviours of an object. */
const MAX_BEHAVIOURS = 64;

const LEAVES = new Map<string, Codec>(Object.entries({
  bool: {
    read: (reader) => reader.bool(),
    write(writer, value) {
      demandType("boolean", "bool", value);
      writer.u8(value ? 1 : 0);
    },
  },
  String: text(),
  // The schema writes its limit like the length of an array.
  FixedString: text(),
  NetworkHash128: hash(false),
  Uuid: hash(true),
  // In seconds.
  Duration: {
    read(reader) {
      const [seconds, nanos] = [reader.long(), reader.varint()];
      if (nanos >= NANOS) throw new WireError(`${nanos} nanoseconds`);
      return seconds + nanos / NANOS;
    },
    write(writer, value) {
      demandType("number", "duration", value);
      if (!(value >= 0 && value < 2 ** 64)) fail("duration", value);
      const nanos = Math.round((value % 1) * NANOS);
      writer.varint(BigInt(Math.floor(value) + (nanos === NANOS ? 1 : 0)));
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
      demandType("string", "decimal", value);
      const [, sign, whole, part = ""] = /^(-?)(\d+)(?:\.(\d{1,28}))?$/.exec(value) ?? fail("decimal", value);
      const digits = whole.length > 29 ? fail("decimal", value) : BigInt(whole + part);
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
      demandType("object", "reference", value);
      ID.write(writer, value?.object ?? 0);
      if (!value?.object) return;
      if (!(value.behaviour < MAX_BEHAVIOURS)) fail("position of a behaviour", value.behaviour);
      ID.write(writer, value.behaviour);
    },
    rank: (value) => (value ? [value.object, value.behaviour] : []),
  },
} satisfies Record<string, Codec>));

/** Gives the client the form of a type, or of an encoding, whose bytes the program of the server writes by hand. Schemas that are read later know it. */
export function register(name: string, codec: Codec): void {
  LEAVES.set(name, codec);
}

/** Leaf type of this name. */
export function leaf(name: string): Make {
  const number = /^(NonZero)?([iuUI])(8|16|32|64|128)$/.exec(name);
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
        write(writer, value) {
          demandType("string", name, value);
          const [first, ...others] = value;
          if (first === undefined || others.length || /[\ud800-\udfff]/u.test(first)) fail(name, value);
          code.write(writer, pointOf(first));
        },
        rank: pointOf,
      };
    };
  }
  return () => LEAVES.get(name.startsWith("BehaviourRef") ? "BehaviourRef" : name) ?? UNKNOWN;
}
