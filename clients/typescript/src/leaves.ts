// Types with a name: WIRE.md, section 2.

import { float, integer } from "./numbers.js";
import { type Codec, fail, type Make, Unreadable } from "./types.js";
import { WireError } from "./wire.js";

export const UNKNOWN: Codec = {
  read: () => {
    throw new Unreadable();
  },
  write: () => {
    throw new RangeError("a type that this client does not know");
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

const NANOS = 1_000_000_000;
const CHARACTER = integer("char", false, 32, false);

const STRING: Codec = { read: (reader) => reader.text(reader.count()), write: (writer, value) => writer.text(value) };

/** Text of limited length, which the schema writes like an array. */
export const FIXED_STRING = { ...STRING };

const LEAVES: Record<string, Codec> = {
  bool: { read: (reader) => reader.bool(), write: (writer, value) => writer.u8(value ? 1 : 0) },
  String: STRING,
  FixedString: FIXED_STRING,
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
export function leaf(name: string): Make {
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
  return () => LEAVES[name.startsWith("BehaviourRef") ? "BehaviourRef" : name] ?? UNKNOWN;
}
