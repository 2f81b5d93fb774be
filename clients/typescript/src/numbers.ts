// Numbers, in the encodings of `Compact` and those chosen for a field: WIRE.md, section 2.

import { demand, demandType, type Encoding, fail, Form, type Type } from "./types.js";
import { WireError } from "./wire.js";

export function integer(name: string, signed: boolean, bits: number, nonZero: boolean, encoding?: Encoding): Type {
  const isFixed = encoding?.name === "Fixed" || encoding?.name === "Bits";
  const width = encoding?.name === "Bits" ? encoding.parameters[0] : bits;
  return (bits > 32 ? wide : narrow)(name, signed, width, nonZero, isFixed);
}

/** Integers of at most 32 bits. */
function narrow(name: string, signed: boolean, width: number, nonZero: boolean, isFixed: boolean): Type {
  const max = 2 ** width - 1;
  const [least, most] = signed ? [-(2 ** (width - 1)), 2 ** (width - 1) - 1] : [0, max];
  const bytes = Math.ceil(width / 8);
  return {
    form: isFixed || nonZero ? Form.Other : signed ? Form.Signed : Form.Unsigned,
    max,
    read(reader) {
      const raw = isFixed ? reader.short(bytes) : reader.varint();
      if (raw > max || (nonZero && !raw)) throw new WireError(`${raw} is no ${name}`);
      if (!signed) return raw;
      return isFixed ? (raw > most ? raw - 2 ** width : raw) : unfold(raw);
    },
    write(writer, value) {
      demandType("number", name, value);
      if (!Number.isInteger(value) || value < least || value > most || (nonZero && !value)) fail(name, value);
      if (isFixed) writer.low(BigInt.asUintN(width, BigInt(value)), bytes);
      else writer.varint(!signed ? value : value < 0 ? -2 * value - 1 : 2 * value);
    },
  };
}

/** Returns the signed number of an unsigned one. */
export function unfold(raw: number): number {
  return raw & 1 ? -(raw + 1) / 2 : raw / 2;
}

/** Integers of 64 and 128 bits. */
function wide(name: string, signed: boolean, width: number, nonZero: boolean, isFixed: boolean): Type {
  const max = (1n << BigInt(width)) - 1n;
  return {
    read(reader) {
      const raw = isFixed ? reader.low(Math.ceil(width / 8)) : reader.wide(width);
      if (raw > max || (nonZero && !raw)) throw new WireError(`${raw} is no ${name}`);
      if (!signed) return raw;
      return isFixed ? BigInt.asIntN(width, raw) : raw & 1n ? -((raw + 1n) >> 1n) : raw >> 1n;
    },
    write(writer, value) {
      demand(typeof value === "bigint" || typeof value === "number", name, value);
      if (typeof value === "number" && !Number.isSafeInteger(value)) fail(name, value);
      const big = BigInt(value);
      if (big !== (signed ? BigInt.asIntN(width, big) : BigInt.asUintN(width, big)) || (nonZero && !big)) fail(name, value);
      if (isFixed) writer.low(BigInt.asUintN(width, big), Math.ceil(width / 8));
      else writer.varint(!signed ? big : big < 0n ? -2n * big - 1n : 2n * big);
    },
  };
}

export function float(bits: number, encoding?: Encoding): Type {
  const name = `f${bits}`;
  const round = bits === 32 ? Math.fround : Number;
  // Refuses what would become an infinite number.
  const check = (value: unknown, rounded: (value: number) => number): void => {
    demandType("number", name, value);
    if (Number.isFinite(value) && !Number.isFinite(rounded(value as number))) fail(name, value);
  };
  if (encoding?.name === "Half") {
    return {
      read: (reader) => fromHalf(reader.u16()),
      write(writer, value) {
        check(value, (it) => fromHalf(toHalf(it)));
        writer.u16(toHalf(value));
      },
    };
  }
  if (encoding?.name === "Quantized") {
    const [min, max, perUnit] = encoding.parameters;
    const last = (max - min) * perUnit;
    const bytes = last < 256 ? 1 : last < 65536 ? 2 : last < 2 ** 24 ? 3 : 4;
    return {
      read(reader) {
        const step = reader.short(bytes);
        if (step > last) throw new WireError(`step ${step} of ${last}`);
        return round(min + step / perUnit);
      },
      write(writer, value) {
        demandType("number", name, value);
        if (Number.isNaN(value)) fail(name, value);
        const step = Math.round((value - min) * perUnit);
        writer.low(BigInt(Math.min(Math.max(step, 0), last)), bytes);
      },
    };
  }
  const write = bits === 32 ? "f32" : "f64";
  return {
    form: bits === 32 ? Form.Float : Form.Other,
    read: bits === 32 ? (reader) => reader.f32() : (reader) => reader.f64(),
    write(writer, value) {
      check(value, round);
      writer[write](value);
    },
  };
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
