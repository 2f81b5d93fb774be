// Bytes: WIRE.md, section 1, and the numbers of `Compact`.

/** Bytes that do not follow the protocol. */
export class WireError extends Error {}

// A byte order mark is a character of the text.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const toUtf8 = new TextEncoder();

/** Longest text without a call of the decoder. */
const SHORT = 24;

/** Most elements and members for each byte: the deepest types. */
const MAX_VISITED = 64;

/** Elements and members of a packet beside those of its bytes. */
const FREE_VISITS = 262_144;

/** Reader of a packet or a part of it. Every method throws a `WireError` beyond the end. */
export class Reader {
  at = 0;
  /** End of the part that is read. */
  end: number;
  /** Upper half of the last number of 64 bits. */
  high = 0;
  private visited = 0;
  private readonly view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = bytes.length;
  }

  get left(): number {
    return this.end - this.at;
  }

  /** Returns a reader of the bytes that are left. */
  copy(): Reader {
    return new Reader(this.bytes.subarray(this.at, this.end));
  }

  /** Ends the reader behind the next bytes. Returns the end of before, for `leave`. */
  enter(length: number): number {
    const { end } = this;
    const from = this.skip(length);
    this.end = this.at;
    this.at = from;
    return end;
  }

  /** Continues behind the part that was entered. */
  leave(end: number): void {
    this.at = this.end;
    this.end = end;
  }

  /** Returns the next byte, or `undefined` at the end. */
  peek(): number | undefined {
    return this.at < this.end ? this.bytes[this.at] : undefined;
  }

  /** Takes the next bytes, without a copy. */
  take(length: number): Uint8Array {
    return this.bytes.subarray(this.skip(length), this.at);
  }

  rest(): Uint8Array {
    return this.take(this.left);
  }

  /** Fails unless all bytes are read. */
  finish(what: string): void {
    if (this.at < this.end) throw new WireError(`${this.left} surplus bytes behind ${what}`);
  }

  u8(): number {
    if (this.at >= this.end) this.skip(1);
    return this.bytes[this.at++];
  }

  u16(): number {
    return this.view.getUint16(this.skip(2), true);
  }

  i16(): number {
    return this.view.getInt16(this.skip(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.skip(4), true);
  }

  f32(): number {
    return this.view.getFloat32(this.skip(4), true);
  }

  f64(): number {
    return this.view.getFloat64(this.skip(8), true);
  }

  bool(): boolean {
    const byte = this.u8();
    if (byte > 1) throw new WireError(`a boolean of ${byte}`);
    return byte === 1;
  }

  /** Reads a variable-length integer of up to 32 bits. */
  varint(): number {
    const first = this.u8();
    if (first < 128) return first;
    const low = this.halves(first);
    if (this.high) throw new WireError("a number above 32 bits");
    return low;
  }

  /** Reads a variable-length integer of up to 64 bits: returns its lower half, and leaves the upper one in `high`. */
  halves(first = this.u8()): number {
    let low = first & 127;
    let high = 0;
    let byte = first;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = this.u8();
      const part = byte & 127;
      if (shift < 32) low |= part << shift;
      if (shift > 32) high |= part << (shift - 32);
      else if (shift === 28) high |= part >>> 4;
      if (shift > 63 || (shift === 63 && part > 1)) throw new WireError("a number above 64 bits");
    }
    this.high = high >>> 0;
    return low >>> 0;
  }

  /** Reads a variable-length integer of up to 64 bits. Above 2^53 it is rounded. */
  long(): number {
    const low = this.halves();
    return this.high * 2 ** 32 + low;
  }

  /** Reads a variable-length integer of up to this many bits. */
  wide(bits: number): bigint {
    if (bits <= 64) {
      const low = this.halves();
      return (BigInt(this.high) << 32n) | BigInt(low);
    }
    let value = 0n;
    for (let shift = 0; shift < bits; shift += 7) {
      const byte = this.u8();
      value |= BigInt(byte & 127) << BigInt(shift);
      if (byte < 128) {
        if (value >> BigInt(bits)) break;
        return value;
      }
    }
    throw new WireError(`a number above ${bits} bits`);
  }

  /** Reads bytes as an integer, the lowest first. */
  low(bytes: number): bigint {
    return this.take(bytes).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
  }

  /** Reads up to 6 bytes as an integer, the lowest first. */
  short(bytes: number): number {
    let value = 0;
    for (let scale = 1; bytes > 0; bytes--, scale *= 256) value += this.u8() * scale;
    return value;
  }

  /** Reads a packed integer. Above 2^53 it is rounded. */
  packed(): number {
    const first = this.u8();
    if (first <= 240) return first;
    if (first <= 248) return 240 + 256 * (first - 241) + this.u8();
    if (first === 249) return 2288 + 256 * this.u8() + this.u8();
    return Number(this.low(first - 247));
  }

  /** Reads a count of elements or bytes. At most 1024 elements may be without bytes. */
  count(): number {
    const count = this.varint();
    if (count > Math.max(this.left, 1024)) throw new WireError(`${count} elements in ${this.left} bytes`);
    this.visit(count);
    return count;
  }

  /** Counts elements and members. Types of a hostile schema may have many of them without bytes. */
  visit(parts: number): void {
    this.visited += parts;
    if (this.visited > MAX_VISITED * this.bytes.length + FREE_VISITS) throw new WireError(`${this.visited} values in ${this.bytes.length} bytes`);
  }

  text(length: number): string {
    const from = this.skip(length);
    if (length <= SHORT) {
      let text = "";
      let at = from;
      for (; at < this.at && this.bytes[at] < 128; at++) text += String.fromCharCode(this.bytes[at]);
      if (at === this.at) return text;
    }
    try {
      return utf8.decode(this.bytes.subarray(from, this.at));
    } catch {
      throw new WireError("a text that is not UTF-8");
    }
  }

  private skip(length: number): number {
    const from = this.at;
    if (length > this.end - from) throw new WireError(`${length} bytes needed, ${this.end - from} left`);
    this.at = from + length;
    return from;
  }
}

/** Writer of a message. */
export class Writer {
  length = 0;
  private out = new Uint8Array(64);
  private view = new DataView(this.out.buffer);

  /** Written bytes. */
  get bytes(): Uint8Array {
    return this.out.slice(0, this.length);
  }

  u8(value: number): void {
    const at = this.grow(1);
    this.out[at] = value;
  }

  u16(value: number): void {
    const at = this.grow(2);
    this.view.setUint16(at, value, true);
  }

  u32(value: number): void {
    const at = this.grow(4);
    this.view.setUint32(at, value, true);
  }

  /** Writes the lowest bytes of an integer, the lowest first. */
  low(value: bigint, bytes: number): void {
    for (let byte = 0; byte < bytes; byte++) this.u8(Number((value >> BigInt(8 * byte)) & 255n));
  }

  f32(value: number): void {
    const at = this.grow(4);
    this.view.setFloat32(at, value, true);
  }

  f64(value: number): void {
    const at = this.grow(8);
    this.view.setFloat64(at, value, true);
  }

  varint(value: number | bigint): void {
    if (typeof value === "number") {
      for (; value > 127; value = Math.floor(value / 128)) this.u8((value % 128) + 128);
      return this.u8(value);
    }
    for (; value > 127n; value >>= 7n) this.u8(Number(value & 127n) | 128);
    this.u8(Number(value));
  }

  packed(value: number): void {
    if (value <= 240) return this.u8(value);
    if (value <= 2287) {
      this.u8(241 + Math.floor((value - 240) / 256));
      return this.u8((value - 240) % 256);
    }
    if (value <= 67823) {
      this.u8(249);
      this.u8(Math.floor((value - 2288) / 256));
      return this.u8((value - 2288) % 256);
    }
    let bytes = 3;
    while (value >= 2 ** (8 * bytes)) bytes++;
    this.u8(247 + bytes);
    this.low(BigInt(value), bytes);
  }

  put(bytes: Uint8Array): void {
    const at = this.grow(bytes.length);
    this.out.set(bytes, at);
  }

  /** Makes room for further bytes, and returns their place. It may replace `out` and `view`. */
  private grow(bytes: number): number {
    const from = this.length;
    this.length += bytes;
    if (this.length > this.out.length) {
      const longer = new Uint8Array(Math.max(2 * this.out.length, this.length));
      longer.set(this.out.subarray(0, from));
      this.out = longer;
      this.view = new DataView(longer.buffer);
    }
    return from;
  }
}

/** Returns the bytes of a text. */
export function utf8Of(text: string): Uint8Array {
  return toUtf8.encode(text);
}
