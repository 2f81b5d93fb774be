// The bytes of a log file, and the reason why it is not read.

/** Reason why a log file is not read. */
export class LogError extends Error {
  constructor(
    message: string,
    /** Status of the answer of a web space. */
    readonly status?: number,
  ) {
    super(message);
  }
}

/** Source of the bytes of a log file. */
export interface Source {
  /** Length of the file in bytes. */
  readonly size: number;
  /** Reads a part of the file that lies within its length. */
  read(from: number, length: number): Promise<Uint8Array>;
  /** Returns the present length of a file that is being written, for reads up to it. */
  measure?(): Promise<number>;
  /** Returns the next file of a recording of several files; `undefined` before it exists. */
  next?(): Promise<Source | undefined>;
}
