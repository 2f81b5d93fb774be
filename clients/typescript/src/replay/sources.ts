// Sources in blocks, in memory, of a file of the user, and on a web space.

import { LogError, type Source } from "./source.js";

/** Length of the block that a short read loads: the indexes behind a chunk and the head of the next one, in a scan of a cut file. */
const BLOCK = 16 * 1024;

/** Longest file on a web space without range requests. */
const MAX_WHOLE = 32 * 1024 * 1024;

/** Source that loads blocks for short reads. */
export class BlockSource implements Source {
  size: number;
  private from = 0;
  private block: Uint8Array = new Uint8Array();

  constructor(private readonly source: Source) {
    this.size = source.size;
  }

  /** Measures a file that is being written. Returns whether it can grow. */
  async grow(): Promise<boolean> {
    if (!this.source.measure) return false;
    const size = await this.source.measure();
    if (size < this.size) throw new LogError(`the log file has shrunk from ${this.size} to ${size} bytes`);
    this.size = size;
    return true;
  }

  /** Opens the next file of the recording. */
  async next(): Promise<BlockSource | undefined> {
    const next = await this.source.next?.();
    return next && new BlockSource(next);
  }

  async read(from: number, length: number): Promise<Uint8Array> {
    if (from < 0 || length < 0 || from + length > this.size) throw new LogError(`damaged log file at byte ${from}: it ends before ${length} bytes`);
    if (length > BLOCK) return this.source.read(from, length);
    if (from < this.from || from + length > this.from + this.block.length) {
      const block = await this.source.read(from, Math.min(BLOCK, this.size - from));
      [this.from, this.block] = [from, block];
      return block.subarray(0, length);
    }
    return this.block.subarray(from - this.from, from - this.from + length);
  }
}

/** Returns bytes in memory as a source. */
export function bytesSource(bytes: Uint8Array): Source {
  return { size: bytes.length, read: async (from, length) => bytes.subarray(from, from + length) };
}

/** Returns a file of the user as a source. */
export function blobSource(blob: Blob): Source {
  return { size: blob.size, read: async (from, length) => new Uint8Array(await blob.slice(from, from + length).arrayBuffer()) };
}

/** Statuses of a file that does not exist yet. */
const MISSING = [404, 503];

/** Opens a file on a web space by range requests. `number` is that of a file of a recording of several files, from 0. */
export async function urlSource(url: string | URL, number = 0): Promise<Source> {
  const own = number ? numbered(String(url), number) : url;
  const first = await request(own, 0, 1);
  const next = (): Promise<Source | undefined> =>
    urlSource(url, number + 1).catch((error) => {
      if (error instanceof LogError && MISSING.includes(error.status ?? 0)) return undefined;
      throw error;
    });
  if (first.status === 200) return { ...bytesSource(await whole(first)), next };
  return { ...rangeSource(own, await lengthIn(first)), next };
}

/** Returns the address of a further file of a recording: the number stands behind the name. */
function numbered(url: string, number: number): string {
  const [, path, rest] = /^([^?#]*)(.*)$/s.exec(url)!;
  return path.replace(/(\.[^./]*)?$/, `-${number}$&`) + rest;
}

function rangeSource(url: string | URL, size: number): Source {
  return {
    size,
    // Behind the end there is either a byte or a refusal: both tell the length.
    async measure() {
      size = await lengthIn(await request(url, size, 1, [206, 416]));
      return size;
    },
    async read(from, length) {
      if (!length) return new Uint8Array();
      const answer = await request(url, from, length);
      const bytes = answer.status === 206 ? new Uint8Array(await answer.arrayBuffer()) : undefined;
      if (bytes?.length !== length) throw new LogError(`${url}: ${bytes?.length ?? "all"} bytes in place of ${length} at byte ${from}`);
      return bytes;
    },
  };
}

async function request(url: string | URL, from: number, length: number, good = [200, 206]): Promise<Response> {
  // The cache of chromium takes longer than a request, and the decoded chunks are kept.
  const answer = await fetch(url, { headers: { range: `bytes=${from}-${from + length - 1}` }, cache: "no-store" });
  if (good.includes(answer.status)) return answer;
  await answer.body?.cancel();
  throw new LogError(`${url}: ${answer.status} ${answer.statusText}`, answer.status);
}

/** Returns the length of the file that an answer to a range request has. */
async function lengthIn(answer: Response): Promise<number> {
  const size = Number(/\/(\d+)$/.exec(answer.headers.get("content-range") ?? "")?.[1] ?? NaN);
  await answer.body?.cancel();
  if (!Number.isSafeInteger(size)) throw new LogError(`${answer.url}: the answer to a range request has no length of the file`);
  return size;
}

/** Reads the answer of a web space without range requests. */
async function whole(answer: Response): Promise<Uint8Array> {
  const length = Number(answer.headers.get("content-length") ?? Infinity);
  if (length > MAX_WHOLE) {
    await answer.body?.cancel();
    throw new LogError(`${answer.url}: this web space has no range requests, and the file is longer than ${MAX_WHOLE} bytes`);
  }
  return new Uint8Array(await answer.arrayBuffer());
}
