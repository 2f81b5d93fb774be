// Bytes: WIRE.md, section 1, and the numbers of `Compact`.

/** Bytes that do not follow the protocol. */
export class WireError extends Error {}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const toUtf8 = new TextEncoder();

/** Most elements and members for each byte: the deepest types. */
const MAX_VISITED = 64;

/** Reader of a packet or a part of it. Every method throws a `WireError` beyond the end. */
export class Reader {
  at = 0;
  private visited = 0;
  private readonly view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  /** Returns the next byte, or `undefined` at the end. */
  peek(): number | undefined {
    return this.bytes[this.at];
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
    if (this.left > 0) throw new WireError(`${this.left} surplus bytes behind ${what}`);
  }

  u8 = (): number => this.view.getUint8(this.skip(1));
  u16 = (): number => this.view.getUint16(this.skip(2), true);
  i16 = (): number => this.view.getInt16(this.skip(2), true);
  u32 = (): number => this.view.getUint32(this.skip(4), true);
  f32 = (): number => this.view.getFloat32(this.skip(4), true);
  f64 = (): number => this.view.getFloat64(this.skip(8), true);

  bool(): boolean {
    const byte = this.u8();
    if (byte > 1) throw new WireError(`a boolean of ${byte}`);
    return byte === 1;
  }

  /** Reads a variable-length integer of up to 32 bits. */
  varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 70; scale *= 128) {
      const byte = this.u8();
      value += (byte & 127) * scale;
      if (byte < 128) {
        if (value >= 2 ** 32) throw new WireError(`the number ${value} is above 32 bits`);
        return value;
      }
    }
    throw new WireError("a number of more than 10 bytes");
  }

  /** Reads a variable-length integer of up to this many bits. */
  wide(bits: number): bigint {
    let value = 0n;
    for (let shift = 0; shift < bits; shift += 7) {
      const byte = this.u8();
      value |= BigInt(byte & 127) << BigInt(shift);
      if (byte < 128) {
        if (value >> BigInt(bits)) throw new WireError(`a number above ${bits} bits`);
        return value;
      }
    }
    throw new WireError(`a number above ${bits} bits`);
  }

  /** Reads bytes as an integer, the lowest first. */
  low(bytes: number): bigint {
    return this.take(bytes).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
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
    if (this.visited > MAX_VISITED * (this.bytes.length + 1024)) throw new WireError(`${this.visited} values in ${this.bytes.length} bytes`);
  }

  text(length: number): string {
    const bytes = this.take(length);
    try {
      return utf8.decode(bytes);
    } catch {
      throw new WireError("a text that is not UTF-8");
    }
  }

  private skip(length: number): number {
    if (length > this.left) throw new WireError(`${length} bytes needed, ${this.left} left`);
    const from = this.at;
    this.at += length;
    return from;
  }
}

/** Writer of a message. */
export class Writer {
  private readonly out: number[] = [];
  private static readonly scratch = new DataView(new ArrayBuffer(8));

  get length(): number {
    return this.out.length;
  }

  get bytes(): Uint8Array {
    return Uint8Array.from(this.out);
  }

  u8(value: number): void {
    this.out.push(value & 255);
  }

  u16 = (value: number): void => this.low(BigInt(value), 2);
  u32 = (value: number): void => this.low(BigInt(value), 4);

  /** Writes the lowest bytes of an integer, the lowest first. */
  low(value: bigint, bytes: number): void {
    for (let byte = 0; byte < bytes; byte++) this.u8(Number((value >> BigInt(8 * byte)) & 255n));
  }

  f32(value: number): void {
    Writer.scratch.setFloat32(0, value, true);
    this.put(new Uint8Array(Writer.scratch.buffer, 0, 4));
  }

  f64(value: number): void {
    Writer.scratch.setFloat64(0, value, true);
    this.put(new Uint8Array(Writer.scratch.buffer));
  }

  varint(value: number | bigint): void {
    let left = BigInt(value);
    for (; left > 127n; left >>= 7n) this.u8(Number(left & 127n) | 128);
    this.u8(Number(left));
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
    for (const byte of bytes) this.out.push(byte);
  }

  text(value: string): void {
    const bytes = toUtf8.encode(value);
    this.varint(bytes.length);
    this.put(bytes);
  }
}
