// The handshake of a connection: WIRE.md, section 5.

import { LEAVES } from "./codecs.js";
import type { Build, Difference } from "./game.js";
import { Kind, message } from "./messages.js";
import { MAX_SCHEMA, readSchema, type Schema } from "./schema.js";
import { type Reader, utf8Of, WireError, Writer } from "./wire.js";

/** Version of the protocol. */
const VERSION = 7;

/** Number of the framing `Compact`. */
const COMPACT = 1;

/** Most channels of a server. */
const MAX_CHANNELS = 64;

/** Longest name of a build in bytes. */
const MAX_NAME = 64;

/** Hash in place of a schema that this client does not have. */
const UNKNOWN_SCHEMA = new Uint8Array(8);

/** Facts about servers that outlive a connection. */
export interface Knowledge {
  /** Payload for the server's program. */
  readonly payload: Uint8Array;
  /** Token of the session, for the return to it. */
  token: Uint8Array | undefined;
  /** Whether the server has taken this client back to its session. */
  isReturn: boolean;
  /** Build of the page, with its schema. */
  readonly build: (Build & { own: Schema; isExact: boolean }) | undefined;
  /** Schema of the last server, with the names and values of the page. */
  schema: Schema | undefined;
  /** Differences between the two. */
  differences: readonly Difference[];
  /** Tells an event. */
  emit(name: string, ...values: any[]): void;
}

/** Answer of a server that accepts the client. */
export interface Accepted {
  schema: Schema;
  incarnation: string;
  /** Tick of the server with number 1 in the headers. */
  firstTick: number;
  tickRate: number;
  /** Whether the packets of a channel may be lost. */
  channels: boolean[];
}

/** Server, or runtime, that this client cannot play with. */
export class Unsuitable extends Error {
  constructor(
    reason: string,
    /** Whether it has another schema. */
    readonly isOfAnotherBuild = false,
  ) {
    super(reason);
  }
}

/** Handshake, from the first message of the client to the answer of the server. */
export class Handshake {
  /** Text of the server's schema, as far as it is here. */
  private readonly text = new Writer();
  private isDescribed = false;
  /** Whether the server has granted a session. */
  private hasSession = false;

  constructor(
    private readonly known: Knowledge,
    private readonly send: (bytes: Uint8Array) => void,
  ) {
    const { token, payload } = known;
    if (token || payload.length) {
      send(message(Kind.Session, (writer) => {
        writer.u8(token ? 1 : 0);
        if (token) writer.put(token);
        writer.put(payload);
      }));
    }
    this.connect();
  }

  /** Handles a message of the server. Returns its answer, if it is one. Throws `Unsuitable`. */
  handle(kind: number, reader: Reader): Accepted | undefined {
    if (kind === Kind.Connect) return this.accepted(reader);
    if (kind === Kind.Schema && !this.isDescribed) this.describe(reader);
    else if (kind === Kind.Session) {
      this.known.isReturn = reader.u8() > 0;
      this.known.token = reader.take(16).slice();
      this.hasSession = true;
    } else throw new WireError(`the message ${kind} in the handshake`);
    return undefined;
  }

  private connect(): void {
    const { build, schema } = this.known;
    const own = build?.own.hash ?? UNKNOWN_SCHEMA;
    const name = utf8Of(build?.name ?? "").subarray(0, MAX_NAME);
    this.send(message(Kind.Connect, (writer) => {
      writer.packed(VERSION);
      writer.put(schema?.hash ?? own);
      writer.u8(COMPACT);
      writer.put(own);
      writer.u16(name.length);
      writer.put(name);
    }));
  }

  /** Handles a part of the server's schema. The last one is answered by another Connect. */
  private describe(reader: Reader): void {
    const isLast = reader.bool();
    if (!isLast && !reader.left) throw new WireError("an empty part of the schema");
    this.text.put(reader.rest());
    if (this.text.length > MAX_SCHEMA) throw new WireError(`a schema of more than ${MAX_SCHEMA} bytes`);
    if (!isLast) return;
    this.isDescribed = true;
    this.resolve(readSchema(this.text.bytes));
    this.connect();
  }

  private resolve(server: Schema): void {
    const { known } = this;
    const { own, isExact, resolve } = known.build ?? {};
    known.differences = [];
    if (!own || String(own.hash) === String(server.hash)) {
      known.schema = own ?? server;
      return;
    }
    const resolution = resolve?.(own, server, LEAVES);
    known.emit("resolved", (known.differences = resolution?.differences ?? []));
    const reasons = known.differences.filter((it) => isExact || it.kind === "refused").map(({ place, text }) => `${place}: ${text}`);
    if (!resolution || reasons.length) throw new Unsuitable(["the server is of another build", ...reasons].join("\n"), true);
    known.schema = resolution.schema;
  }

  private accepted(reader: Reader): Accepted {
    const version = reader.packed();
    if (version !== VERSION) throw new Unsuitable(`the server has version ${version} of the protocol, this client ${VERSION}`);
    reader.take(8);
    if (reader.u8() !== COMPACT) throw new Unsuitable("the server does not speak Compact");
    const incarnation = String(reader.take(8));
    const [firstTick, tickRate] = [reader.packed(), reader.packed()];
    if (!tickRate) throw new WireError("0 ticks in a second");
    // The send interval of behaviours without one.
    reader.packed();
    const count = reader.packed();
    if (!count || count > MAX_CHANNELS) throw new WireError(`a server of ${count} channels`);
    const channels = Array.from({ length: count }, () => reader.bool());
    reader.finish("the answer of the server");
    // A server without sessions forgets them, as after a restart.
    if (!this.hasSession) [this.known.token, this.known.isReturn] = [undefined, false];
    const schema = (this.known.schema ??= this.known.build?.own);
    if (!schema) throw new WireError("an answer without a schema");
    return { schema, incarnation, firstTick, tickRate, channels };
  }
}
