// The client: events, and connections one after another.

import type { Report } from "./arrivals.js";
import { Connection, type Owner } from "./connection.js";
import type { Extension } from "./extension.js";
import type { Build, EventName, Difference, GameTypes, Heard, Messages } from "./game.js";
import { Unsuitable } from "./handshake.js";
import { type Link, open, type Transport } from "./link.js";
import { type Listener, Listeners } from "./listeners.js";
import type { Behaviour, Change, NetworkObject } from "./objects.js";
import { readSchema, type Schema } from "./schema.js";
import { type Rests, SettledTicks } from "./settled.js";
import { textOf } from "./types.js";
import { type Observer, type RefusalReason, World } from "./world.js";

/** Pauses before a new connection, in milliseconds. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 4000;

/** Longest payload of a request to join, in bytes. */
const MAX_PAYLOAD = 4096;

/** Settings of a client. */
export interface Options<G extends GameTypes = any> {
  /** Build of the page, from `syncvar types`. Without it the page takes the names and types of its server. */
  build?: Build<G>;
  /** Servers of other builds: by default those that the rules of the guide accept; `exact` for none. */
  builds?: "compatible" | "exact";
  /** Only this transport. Otherwise WebTransport, and WebSocket if that fails within two seconds. */
  transport?: Transport;
  /** Payload for the server's program, at most 4096 bytes. */
  payload?: Uint8Array;
}

/** State of a client: on the way to a server, with all objects, between two connections, at the end. */
export type State = "connecting" | "ready" | "waiting" | "closed";

/** Events and the arguments of their listeners. */
export interface Events<G extends GameTypes = any> {
  /** Another state, the reason of an end, and the payload of a refusal by the server's program. */
  state: [state: State, reason: string, payload: Uint8Array];
  /** The server is of another build: its differences from that of the page. */
  resolved: [differences: readonly Difference[]];
  /** All objects are here, after each connection: a first one, or a return to the session with its objects. */
  ready: [isReturn: boolean];
  spawn: [object: NetworkObject<G>];
  /** An object has been removed, or hidden from this client. */
  despawn: [object: NetworkObject<G>, isHidden: boolean];
  /** This client owns an object now, or no more. */
  owner: [object: NetworkObject<G>];
  /** A field has another value. */
  change: [change: Change];
  /** The state of a tick of the server is here: all of it, or as much as has arrived. */
  tick: [tick: number, isComplete: boolean];
  /** A state or a call of an object could not be read. A new snapshot of the object is on its way. */
  unreadable: [id: number, reason: string];
  /** A snapshot has repaired an object behind `unreadable`. */
  restored: [object: NetworkObject<G>];
  /** The server has refused writes of this client to an object: its fields have the values of the server. */
  refused: [object: NetworkObject<G>];
  /** The server has not run commands of this client: too many for their rate, for example. `calls` is their number since the last report. */
  commandRefused: [behaviour: Behaviour, command: string, reason: RefusalReason, calls: number];
  /** A value of a server of another build does not fit the type of the page: the field keeps its value, or an element of it is 0. */
  unfit: [behaviour: Behaviour, field: string];
  /** A message of a server of another build does not fit its type on the page, and was dropped. */
  unfitMessage: [name: string];
  /** A message of the program. */
  message: Messages<G>;
}

/** Client of a server: connects, and connects again after an end, until it is closed. */
export class Client<G extends GameTypes = any> implements Rests {
  private readonly listeners = new Listeners();
  private readonly owner: Owner;
  private readonly world: World;
  private readonly settled = new SettledTicks();
  private connection: Connection | undefined;
  private pause = FIRST_PAUSE;
  private wake: ReturnType<typeof setTimeout> | undefined;
  private current: State = "connecting";

  /** Connects to the web port of a server, such as `http://127.0.0.1:7777`. */
  constructor(
    readonly url: string,
    private readonly options: Options<G> = {},
  ) {
    const { payload = new Uint8Array() } = options;
    if (payload.length > MAX_PAYLOAD) throw new RangeError(`payload: ${payload.length} bytes, beyond ${MAX_PAYLOAD}`);
    const observer: Observer = {
      written: (object) => this.connection?.written(object),
      poisoned: (object) => this.connection?.resync(object.id),
      called: (...call) => this.connected().call(...call),
      spawned: (object) => {
        this.owner.extension?.spawned(object);
        this.emit("spawn", object);
      },
      despawned: (object, isHidden) => {
        this.owner.extension?.despawned(object);
        this.emit("despawn", object, isHidden);
      },
      changed: (change) => this.changed(change),
      networkTick: (tick) => this.connection?.networkTick(tick) ?? 0,
      emit: (...event) => this.emit(...event),
      ready: () => this.ready(),
    };
    this.world = new World(observer, this.listeners);
    const { build } = options;
    this.owner = {
      world: this.world,
      build: build && { ...build, own: readSchema(new TextEncoder().encode(build.schema)), isExact: options.builds === "exact" },
      payload,
      token: undefined,
      schema: undefined,
      differences: [],
      emit: observer.emit,
      finished: (report) => this.finished(report),
      extension: undefined,
      ended: (...end) => this.ended(...end),
      isReturn: false,
    };
    // Listeners added by the running code hear the first events.
    queueMicrotask(() => this.connect());
  }

  /** Objects by id. */
  get objects(): ReadonlyMap<number, NetworkObject<G>> {
    return this.world.objects;
  }

  /** Returns the own object that is the player of a number. */
  player(number: number): NetworkObject<G> | undefined {
    return [...this.world.objects.values()].find((it) => it.owned && it.player === number);
  }

  /** Differences between the schema of the last server and that of the page. */
  get resolution(): readonly Difference[] {
    return this.owner.differences;
  }

  /** Schema of the last server, with the names of the page. */
  get schema(): Schema | undefined {
    return this.owner.schema;
  }

  get state(): State {
    return this.current;
  }

  /** Transport of the connection. */
  get transport(): Transport | undefined {
    return this.connection?.link.transport;
  }

  /** Round trip to the server in milliseconds, smoothed; `undefined` before the first answer. */
  get ping(): number | undefined {
    return this.connection?.clock.roundTrip;
  }

  /** Returns the server's tick at this moment with its fraction; `undefined` before the first answer to a ping. */
  tick(): number | undefined {
    const time = this.connection?.clock.time(performance.now());
    return time === undefined ? undefined : (time * this.connection!.clock.tickRate) / 1000;
  }

  /**
   * Adds a listener of an event, of a field such as `Fighter.health` with a `Change`, or of a call such as `Fighter.struck` with the
   * behaviour and the arguments. Returns a function that removes it.
   */
  on<Name extends EventName<G, Events>>(name: Name, listener: (...values: Heard<G, Events<G>, Name>) => void): () => void {
    return this.listeners.on(name, listener as Listener);
  }

  /** Sends a message of the program. Throws while there is no connection. */
  send(...message: Messages<G>): void {
    this.sendOn(0, ...message);
  }

  /** Sends a message of the program on a channel: on an unreliable one it may be lost, and must fit a datagram. */
  sendOn(channel: number, ...[name, value]: Messages<G>): void {
    this.connected().sendProgramMessage(channel, name, value);
  }

  /**
   * Shows the view of a frame: returns the tick to draw tracks at, with its fraction, for moving behaviours with this number of ticks between
   * two updates. Commands, messages and inputs from now on refer to it, and the server can rewind to it. `undefined` before the first tick.
   */
  showView(interval = 1): number | undefined {
    return this.connection?.showView(interval);
  }

  /** Returns the last tick up to which a value rested that had no change since `tick`: later ones may lack changes that were lost. For tracks. */
  restedUntil(tick: number): number {
    return this.settled.restedUntil(tick);
  }

  /** Adds a part in a module of its own, in the place of a former one. */
  extend(extension: Extension): void {
    this.owner.extension = extension;
    if (this.connection?.isConnected) extension.connected(this.connection);
  }

  /** Ends the connection for good. The objects leave. */
  close(reason = "closed"): void {
    if (this.current === "closed") return;
    clearTimeout(this.wake);
    if (this.connection) this.connection.end(reason, true);
    else this.ended(reason, true);
  }

  private connected(): Connection {
    if (!this.connection?.isConnected) throw new Error("not connected");
    return this.connection;
  }

  private connect(): void {
    if (this.current === "closed") return;
    this.setState("connecting");
    let connection: Connection | undefined;
    const listener = {
      packet: (channel: number, packet: Uint8Array, isDatagram: boolean) => connection?.packet(channel, packet, isDatagram),
      ended: (reason: string) => connection?.end(reason, false),
    };
    open(this.url, this.options.transport, listener).then(
      (link: Link) => {
        if (this.current === "closed") return link.close();
        connection = this.connection = new Connection(link, this.owner);
      },
      (error) => this.ended(textOf(error), error instanceof Unsuitable),
    );
  }

  /** Takes the state of a tick of the headers. */
  private finished(report: Report): void {
    const { tick, isComplete, isAfterGap } = report;
    const network = this.connection!.networkTick(tick);
    this.settled.note(network, isComplete && !isAfterGap, !isAfterGap);
    this.owner.extension?.finished(report, network);
    this.emit("tick", network, isComplete);
  }

  private ready(): void {
    this.pause = FIRST_PAUSE;
    this.owner.extension?.ready();
    this.setState("ready");
    this.emit("ready", this.owner.isReturn);
  }

  private ended(reason: string, isFinal: boolean, payload?: Uint8Array): void {
    if (this.current === "closed") return;
    this.connection = undefined;
    this.setState(isFinal ? "closed" : "waiting", reason, payload);
    if (isFinal) return this.world.clear();
    this.wake = setTimeout(() => this.connect(), this.pause);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
  }

  private changed(change: Change): void {
    for (const listeners of change.behaviour.layout.hearers(change.at, this.listeners)) {
      for (const listener of listeners) {
        // Without a function for each change, as `guarded` has one.
        try {
          listener(change);
        } catch (error) {
          console.error(error);
        }
      }
    }
  }

  private setState(state: State, reason = "", payload: Uint8Array = new Uint8Array()): void {
    this.current = state;
    this.emit("state", state, reason, payload);
  }

  private emit(name: string, ...values: any[]): void {
    this.listeners.emit(name, ...values);
  }
}
