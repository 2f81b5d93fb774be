// The client: events, and connections one after another.

import { Connection, type Owner } from "./connection.js";
import type { BehaviourTypes, Build, EventName, Difference, GameTypes, Heard, Messages } from "./game.js";
import type { Input } from "./inputs.js";
import { type Link, open, type Transport } from "./link.js";
import type { Behaviour, Change, NetworkObject } from "./objects.js";
import { Prediction, type Step } from "./prediction.js";
import type { CallSchema } from "./schema.js";
import { readSchema } from "./schema.js";
import { type Observer, World } from "./world.js";

/** Pauses before a new connection, in milliseconds. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 4000;

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
  /** Another state, and the reason of an end. */
  state: [state: State, reason: string];
  /** The server is of another build: its differences from that of the page. */
  resolved: [differences: readonly Difference[]];
  /** All objects are here, after each connection. */
  ready: [];
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
  /** A value of a server of another build does not fit the type of the page: the field keeps its value, or an element of it is 0. */
  unfit: [behaviour: Behaviour, field: string];
  /** A message of the program. */
  message: Messages<G>;
}

type Listener = (...values: any[]) => void;

/** Client of a server: connects, and connects again after an end, until it is closed. */
export class Client<G extends GameTypes = any> {
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly owner: Owner;
  private readonly world: World;
  private readonly predictions = new Map<Behaviour, Prediction>();
  /** Last tick of the server whose state is here. */
  private finishedTick = 0;
  private connection: Connection | undefined;
  private pause = FIRST_PAUSE;
  private wake: ReturnType<typeof setTimeout> | undefined;
  private current: State = "connecting";

  /** Connects to the web port of a server, such as `http://127.0.0.1:7777`. */
  constructor(
    readonly url: string,
    private readonly options: Options<G> = {},
  ) {
    const observer: Observer = {
      written: (object) => this.connection?.written(object),
      poisoned: (object) => this.connection?.resync(object.id),
      called: (behaviour, call, values) => this.connected().call(behaviour, call, values),
      spawned: (object) => this.emit("spawn", object),
      despawned: (object, isHidden) => {
        for (const behaviour of object.behaviours) this.predictions.delete(behaviour);
        this.emit("despawn", object, isHidden);
      },
      ownerChanged: (object) => this.emit("owner", object),
      changed: (change) => this.changed(change),
      received: (behaviour: Behaviour, call: CallSchema, values) => this.emit(`${behaviour.name}.${call.name}`, behaviour, ...values),
      unreadable: (id, reason) => this.emit("unreadable", id, reason),
      unfit: (behaviour, field) => this.emit("unfit", behaviour, field),
      ready: () => this.ready(),
    };
    this.world = new World(observer);
    const { build } = options;
    this.owner = {
      world: this.world,
      build: build && { ...build, own: readSchema(new TextEncoder().encode(build.schema)), isExact: options.builds === "exact" },
      payload: options.payload ?? new Uint8Array(),
      token: undefined,
      schema: undefined,
      differences: [],
      resolved: (differences) => this.emit("resolved", differences),
      programMessage: (name, value) => this.emit("message", name, value),
      finished: (tick, isComplete, isWhole) => this.finished(tick, isComplete, isWhole),
      begun: (input) => this.begun(input),
      ended: (reason, isFinal) => this.ended(reason, isFinal),
    };
    // Listeners added by the running code hear the first events.
    queueMicrotask(() => this.connect());
  }

  /** Objects by id. */
  get objects(): ReadonlyMap<number, NetworkObject<G>> {
    return this.world.objects;
  }

  /** Differences between the schema of the last server and that of the page. */
  get resolution(): readonly Difference[] {
    return this.owner.differences;
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
    const listeners = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, listeners.add(listener as Listener));
    return () => listeners.delete(listener as Listener);
  }

  /** Sends a message of the program. Throws while there is no connection. */
  send(...[name, value]: Messages<G>): void {
    this.connected().sendProgramMessage(name, value);
  }

  /**
   * Sets the input of the ticks to come, of the type that the server has registered: what the player holds down now. Call it in each frame.
   * Each tick of the input clock, which is ahead of the server's time, has one input. Throws while there is no connection.
   */
  setInput(value: G["input"]): void {
    this.connected().setInput(value);
  }

  /** Last tick that has begun on the input clock: that of the newest input. */
  get inputTick(): number | undefined {
    return this.connection?.inputs.tick;
  }

  /**
   * Predicts a behaviour of an own object: `step` changes its state in each tick of the input clock, as the same step does on the server, and
   * is repeated where the server's state differs. It uses its arguments only. The prediction ends with the object.
   */
  predict<T extends BehaviourTypes>(behaviour: Behaviour<T>, step: Step<T["fields"], G["input"]>): Prediction<T["fields"]> {
    const prediction = new Prediction<T["fields"]>(behaviour, step, () => this.connection?.inputs.moment ?? 0);
    this.predictions.set(behaviour, prediction);
    prediction.begin(this.finishedTick, this.connection?.inputs.list ?? []);
    return prediction;
  }

  /**
   * Shows the view of a frame: returns the tick to draw tracks at, with its fraction, for moving behaviours with this number of ticks between
   * two updates. Commands, messages and inputs from now on refer to it, and the server can rewind to it. `undefined` before the first tick.
   */
  showView(interval = 1): number | undefined {
    return this.connection?.showView(interval);
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
    this.setState("connecting", "");
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
      (error) => this.ended(String(error?.message ?? error), false),
    );
  }

  /** Takes the state of a tick of the headers. */
  private finished(tick: number, isComplete: boolean, isWhole: boolean): void {
    const connection = this.connection!;
    const network = (this.finishedTick = connection.networkTick(tick));
    for (const [behaviour, prediction] of this.predictions) {
      const has = (at: number): boolean => isWhole || behaviour.tickOf(at) === tick;
      guarded(() => prediction.compare({ tick: network, has }, connection.inputs.list, performance.now()));
    }
    this.emit("tick", network, isComplete);
  }

  private begun(input: Input): void {
    for (const prediction of this.predictions.values()) guarded(() => prediction.advance(input));
  }

  private ready(): void {
    this.pause = FIRST_PAUSE;
    // The ticks of another connection begin anew.
    for (const prediction of this.predictions.values()) prediction.begin(this.finishedTick, []);
    this.setState("ready", "");
    this.emit("ready");
  }

  private ended(reason: string, isFinal: boolean): void {
    if (this.current === "closed") return;
    this.connection = undefined;
    this.setState(isFinal ? "closed" : "waiting", reason);
    if (isFinal) return this.world.clear();
    this.wake = setTimeout(() => this.connect(), this.pause);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
  }

  private changed(change: Change): void {
    const network = { ...change, tick: this.connection?.networkTick(change.tick) ?? 0 };
    this.emit("change", network);
    this.emit(`${change.behaviour.name}.${change.field}`, network);
  }

  private setState(state: State, reason: string): void {
    this.current = state;
    this.emit("state", state, reason);
  }

  private emit(name: string, ...values: any[]): void {
    for (const listener of this.listeners.get(name) ?? []) guarded(() => listener(...values));
  }
}

/** Runs code of the program, whose error is not one of the connection. */
function guarded(run: () => void): void {
  try {
    run();
  } catch (error) {
    console.error(error);
  }
}
