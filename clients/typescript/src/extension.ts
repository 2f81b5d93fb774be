// Parts of a client in modules of their own.

import type { Report } from "./arrivals.js";
import type { Connection } from "./connection.js";
import type { Ack } from "./headers.js";
import type { NetworkObject } from "./objects.js";
import type { Reader } from "./wire.js";

/** Part of a client that a page adds: its predictions. */
export interface Extension {
  /** The server has accepted a connection. */
  connected(connection: Connection): void;
  /** Time has passed on the connection. */
  advanced(): void;
  /** An acknowledgement has arrived. `last` is the newest sequence of a sent datagram. */
  acknowledged(ack: Ack, last: number): void;
  /** Handles an InputState. */
  reported(reader: Reader): void;
  /** All objects are here. */
  ready(): void;
  spawned(object: NetworkObject): void;
  /** The state of a tick is here: its number in the server's time. */
  finished(report: Report, tick: number): void;
  despawned(object: NetworkObject): void;
}
