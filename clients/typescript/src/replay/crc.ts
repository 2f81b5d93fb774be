// Checksums: CRC-32 of MCAP, CRC-32C of tick records.

/** Makes the tables of a polynomial, of which each covers a further byte. */
function tables(polynomial: number): Uint32Array[] {
  const first = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    return crc;
  });
  const all = [first];
  for (let at = 1; at < 4; at++) all.push(all[at - 1].map((crc) => (crc >>> 8) ^ first[crc & 255]));
  return all;
}

const IEEE = tables(0xedb88320);
const CASTAGNOLI = tables(0x82f63b78);

function checksum([t0, t1, t2, t3]: Uint32Array[], bytes: Uint8Array, before: number): number {
  let crc = ~before;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    crc ^= bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    crc = t3[crc & 255] ^ t2[(crc >>> 8) & 255] ^ t1[(crc >>> 16) & 255] ^ t0[crc >>> 24];
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]) & 255];
  return ~crc >>> 0;
}

/** Returns the CRC-32 of bytes, behind bytes with this checksum. */
export function crc32(bytes: Uint8Array, before = 0): number {
  return checksum(IEEE, bytes, before);
}

/** Returns the CRC-32C of bytes. */
export function crc32c(bytes: Uint8Array): number {
  return checksum(CASTAGNOLI, bytes, 0);
}
