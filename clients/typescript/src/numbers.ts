// Numbers, in the encodings of `Compact` and those chosen for a field: WIRE.md, section 2.

import { type Encoding, fail, type Type } from "./types.js";
import { WireError } from "./wire.js";

export function integer(name: string, signed: boolean, bits: number, nonZero: boolean, encoding?: Encoding): Type {
  const wide = bits > 32;
  const fixed = encoding?.name === "Fixed" || encoding?.name === "Bits";
  const width = encoding?.name === "Bits" ? encoding.parameters[0] : bits;
  const max = (1n << BigInt(width)) - 1n;
  return {
    read(reader) {
      // Most integers are short, and need no `bigint`.
      if (!fixed && !wide) {
        const raw = reader.varint();
        if (raw > max || (nonZero && !raw)) throw new WireError(`${raw} is no ${name}`);
        return signed ? (raw % 2 ? -(raw + 1) / 2 : raw / 2) : raw;
      }
      const raw = fixed ? reader.low(Math.ceil(width / 8)) : reader.wide(width);
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

export function float(bits: number, encoding?: Encoding): Type {
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
