// The objects of a server, and the messages about them. WIRE.md, sections 4 and 6.

import type { Report } from "./arrivals.js";
import { forEachEntry, Kind } from "./messages.js";
import type { Operation } from "./collections.js";
import type { Listeners } from "./listeners.js";
import { type Behaviour, Change, NetworkObject, type Origin, type Requests } from "./objects.js";
import type { CallSchema, Prefab, Schema } from "./schema.js";
import { Layout } from "./state.js";
import { textOf, Unreadable } from "./types.js";
import { type Reader, WireError } from "./wire.js";

/** Facts of the packet in progress. */
export interface Packet {
  channel: number;
  /** Tick of its header. */
  tick: number;
  /** Whether packets of the stream before it are missing: deltas are read, and the packet comes again. */
  isEarly: boolean;
}

/** Receiver of the events of objects. */
export interface Observer extends Omit<Requests, "changed"> {
  spawned(object: NetworkObject): void;
  despawned(object: NetworkObject, isHidden: boolean): void;
  changed(change: Change): void;
  /** Returns a tick of the headers as one of the server's time. */
  networkTick(tick: number): number;
  ready(): void;
}

/** Bits of a prefab number in a SpawnBatch, and kinds of extras. */
const HAS_POSITION = 1;
const HAS_ROTATION = 2;
const HAS_EXTRAS = 4;
const SCENE = 1;
const PARENT = 2;

/** Reasons of a CommandRefused by their numbers on the wire. */
const REASONS = ["unknownObject", "unknownCall", "notOwner", "tooOften", "malformed"] as const;

/** Reason for which a server has not run a command. */
export type RefusalReason = (typeof REASONS)[number];

/** Most calls that wait. Further ones run at once. */
const MAX_CALLS = 1024;

/** Call that waits for the state of its tick. */
interface LateCall {
  tick: number;
  /** Own time of its arrival, in milliseconds. */
  since: number;
  run: () => void;
}

/** Longest wait of a call, in milliseconds. A server may withhold a change for ever. */
const MAX_WAIT = 1000;

/** Objects by id, kept over a lost connection to the same run of the server. */
export class World {
  readonly objects = new Map<number, NetworkObject>();
  private schema: Schema = { hash: new Uint8Array(), prefabs: [], messages: [] };
  /** Whether the packets of a channel may be lost. */
  private unreliable: boolean[] = [];
  private incarnation = "";
  /** Objects that were owned before the burst in progress. */
  private burst: Set<NetworkObject> | undefined;
  /** Calls that wait for the end of the burst. */
  private early: (() => void)[] = [];
  /** Changes of the tick in progress that the program does not know. */
  private changes: Change[] = [];
  /** Calls that wait for the state of their tick. */
  private late: LateCall[] = [];
  /** Last complete tick. */
  private completed = -1;
  private readonly layouts = new Map<Prefab, Layout[]>();
  private readonly requests: Requests;

  constructor(
    private readonly observer: Observer,
    private readonly listeners: Listeners,
  ) {
    this.requests = { ...observer, changed: (...change) => this.changed(...change) };
  }

  /** Begins a connection. The objects of another run or schema leave. */
  begin(schema: Schema, unreliable: boolean[], incarnation: string): void {
    const isSame = String(schema.hash) === String(this.schema.hash) && incarnation === this.incarnation;
    if (!isSame) {
      this.clear();
      this.layouts.clear();
    }
    for (const object of this.objects.values()) object.begin();
    [this.schema, this.unreliable, this.incarnation] = [schema, unreliable, incarnation];
    [this.burst, this.changes] = [undefined, []];
    // The state of their ticks comes with the burst.
    this.early = isSame ? this.late.map(({ run }) => run) : [];
    this.late = [];
    this.completed = -1;
  }

  clear(): void {
    for (const object of [...this.objects.values()]) this.remove(object.id, true);
  }

  /** Handles a message about the objects. Returns false for another one, before which the changes of the deltas are told. */
  handle(kind: number, reader: Reader, packet: Packet): boolean {
    if (kind === Kind.UpdateBatch) this.update(reader, packet);
    else {
      this.tell();
      if (kind === Kind.SpawnBatch) this.spawn(reader, packet);
      else if (kind === Kind.Call) this.call(reader, packet);
      else if (kind === Kind.CommandRefused) this.commandRefused(reader);
      else if (kind === Kind.ObjectDestroy || kind === Kind.ObjectHide) this.remove(reader.packed(), kind === Kind.ObjectHide);
      else if (kind === Kind.SetParent) this.setParent(reader.packed(), reader.packed());
      else return false;
    }
    return true;
  }

  /** Handles a SpawnFinished. */
  spawnFinished(state: number): void {
    if (state === 0) {
      this.burst = new Set([...this.objects.values()].filter((object) => object.owned));
      for (const object of this.objects.values()) {
        object.isRefreshed = object.owned = false;
        object.permit = 0;
      }
    } else if (state === 1 && this.burst) {
      const owned = this.burst;
      this.burst = undefined;
      for (const object of [...this.objects.values()].sort((a, b) => a.id - b.id)) {
        if (!object.isRefreshed) this.remove(object.id, true);
        else if (object.isPoisoned) continue;
        else if (!object.isAnnounced) this.announce(object);
        else if (object.owned !== owned.has(object)) this.observer.emit("owner", object);
      }
      for (const run of this.early.splice(0)) run();
      this.observer.ready();
    } else if (state > 2) throw new WireError(`the state ${state} of SpawnFinished`);
  }

  /** Handles a SpawnBatch. */
  private spawn(reader: Reader, packet: Packet): void {
    forEachEntry(reader, (id) => {
      // The answer to a Resync that is unreadable, too, is asked for again at the next update of the object.
      const isAnswer = this.objects.get(id)?.isAsked ?? false;
      this.attempt(id, () => this.spawnOne(id, reader, packet));
      const object = this.objects.get(id);
      if (!object) return;
      object.isRefreshed = true;
      if (isAnswer) object.isAsked = false;
      else if (object.isPoisoned) this.ask(object);
    });
  }

  private spawnOne(id: number, reader: Reader, packet: Packet): void {
    const head = reader.varint();
    const prefab = this.schema.prefabs[Math.floor(head / 8)];
    if (!prefab) throw new WireError(`object ${id} of the unknown prefab ${Math.floor(head / 8)}`);
    const extras = head & HAS_EXTRAS ? reader.varint() : 0;
    if (extras > (SCENE | PARENT)) throw new WireError(`unknown extras ${extras}`);
    const object = this.objectOf(id, prefab, packet);
    object.scene = extras & SCENE ? reader.varint() : 0;
    object.parent = extras & PARENT ? reader.varint() : 0;
    object.position = head & HAS_POSITION ? [reader.f32(), reader.f32(), reader.f32()] : [0, 0, 0];
    object.rotation = head & HAS_ROTATION ? [reader.f32(), reader.f32(), reader.f32(), reader.f32()] : [0, 0, 0, 1];
    object.permit = 0;
    const { isPoisoned } = object;
    object.readSnapshot(reader, { tick: packet.tick, keepsOwn: !this.burst });
    object.isPoisoned = false;
    if (object.isAnnounced) {
      this.tell();
      if (isPoisoned) this.observer.emit("restored", object);
    }
    else if (!this.burst) this.announce(object);
  }

  /** Returns the object of this id and prefab, which takes the place of another one. */
  private objectOf(id: number, prefab: Prefab, packet: Packet): NetworkObject {
    const known = this.objects.get(id);
    if (known?.prefab.name === prefab.name) return known;
    this.remove(id, false);
    const layouts = this.layouts.get(prefab) ?? prefab.behaviours.map((schema) => new Layout(schema));
    this.layouts.set(prefab, layouts);
    const object = new NetworkObject(id, prefab, layouts, this.unreliable, this.requests);
    object.spawned = packet.tick;
    this.objects.set(id, object);
    return object;
  }

  /** Handles an UpdateBatch. */
  private update(reader: Reader, { channel, tick, isEarly }: Packet): void {
    const isUnreliable = this.unreliable[channel] ?? false;
    const origin: Origin = { tick, keepsOwn: true, isEarly };
    forEachEntry(reader, (id) => {
      const object = this.objects.get(id);
      // A late delta may be of a former object with this id.
      if (!object || (isUnreliable && tick <= object.spawned)) return;
      try {
        if (!object.isPoisoned) object.readDelta(reader, origin, channel);
      } catch (error) {
        // An early state may build on one that is missing. It is read again behind it.
        if (isEarly && error instanceof WireError) return;
        this.poison(id, error);
      }
      if (object.isPoisoned) this.ask(object);
    });
  }

  private attempt(id: number, read: () => void): void {
    try {
      read();
    } catch (error) {
      this.poison(id, error);
    }
  }

  /** Marks an object whose state is unreadable, and no other one. */
  private poison(id: number, error: unknown): void {
    if (!(error instanceof WireError)) throw error;
    const object = this.objects.get(id);
    if (object) object.isPoisoned = true;
    this.observer.emit("unreadable", id, error.message);
  }

  /** Asks for a snapshot of a poisoned object, unless one is on its way. */
  private ask(object: NetworkObject): void {
    if (object.isAsked) return;
    object.isAsked = true;
    this.observer.poisoned(object);
  }

  /** Handles an ObjectDestroy or ObjectHide. */
  remove(id: number, isHidden: boolean): void {
    const object = this.objects.get(id);
    if (!object) return;
    this.objects.delete(id);
    object.owned = false;
    if (!isHidden) for (const child of this.objects.values()) if (child.parent === id) child.parent = 0;
    if (object.isAnnounced) this.observer.despawned(object, isHidden);
  }

  private setParent(child: number, parent: number): void {
    const object = this.objects.get(child);
    if (object) object.parent = parent;
  }

  /** Handles a LocalClientAuthority or Owner. */
  setOwner(id: number, isOwned: boolean, player: number | undefined, packet: Packet): void {
    const object = this.objects.get(id);
    if (!object) return;
    const isNew = object.owned !== isOwned;
    [object.owned, object.player] = [isOwned, player];
    if (!isOwned) object.permit = 0;
    if (isNew && object.isAnnounced && !this.burst) this.observer.emit("owner", object);
    const lost = isOwned ? "others" : "owner";
    if (!isNew) return;
    for (const behaviour of object.behaviours) behaviour.forget((field) => field.readers === lost, packet.tick);
    this.tell();
  }

  /** Handles an OwnerState. Returns its object. */
  ownerState(reader: Reader, packet: Packet): NetworkObject | undefined {
    const object = this.objects.get(reader.packed());
    const permit = reader.packed();
    if (!object) return undefined;
    const isRefused = object.permit && permit !== object.permit;
    object.permit = permit;
    // It may have been written before the frame of its tick.
    const tick = Math.max(packet.tick - 1, 0);
    if (reader.peek() === 255) {
      reader.u8();
      for (const behaviour of object.behaviours) behaviour.forget((field) => field.readers === "group", packet.tick);
    }
    // What this client has forgotten in the same tick is there again.
    this.attempt(object.id, () => object.readSelected(reader, { tick, keepsOwn: false, isAnew: true }));
    if (object.isPoisoned) this.ask(object);
    this.tell();
    if (isRefused) this.observer.emit("refused", object);
    return object;
  }

  /** Handles a CommandRefused. The page knows of an object that has left. */
  private commandRefused(reader: Reader): void {
    const [, behaviour, call] = this.callee(reader);
    const reason = REASONS[reader.u8()];
    if (behaviour && call && reason) this.observer.emit("commandRefused", behaviour, call.name, reason, reader.varint());
  }

  /** Reads the object and the number of a call. */
  private callee(reader: Reader): [NetworkObject | undefined, Behaviour | undefined, CallSchema | undefined] {
    const object = this.objects.get(reader.varint());
    let number = reader.varint();
    const behaviour = object?.behaviours.find(({ schema }) => {
      const isHere = number < schema.calls.length;
      if (!isHere) number -= schema.calls.length;
      return isHere;
    });
    return [object, behaviour, behaviour?.schema.calls[number]];
  }

  /** Handles a Call. */
  private call(reader: Reader, packet: Packet): void {
    const [object, behaviour, call] = this.callee(reader);
    // An object whose first snapshot was unreadable is unknown to the program.
    if (!object || (!this.burst && !object.isAnnounced)) return;
    if (!behaviour || !call || call.kind === "command") return this.observer.emit("unreadable", object.id, "a call that it does not have");
    let values: any[];
    try {
      values = readValues(call, reader);
    } catch (error) {
      return this.observer.emit("unreadable", object.id, `${call.name}: ${textOf(error)}`);
    }
    // The object of a call that waits may leave.
    const run = (): void => void (this.objects.get(object.id) === object && this.observer.emit(`${behaviour.name}.${call.name}`, behaviour, ...values));
    if (this.burst && !object.isAnnounced && this.early.length < MAX_CALLS) this.early.push(run);
    else if (call.afterState && packet.tick > this.completed && this.late.length < MAX_CALLS) this.late.push({ tick: packet.tick, since: performance.now(), run });
    else run();
  }

  /** Runs the calls that wait for a tick: after its changes, or after all changes up to it. */
  finish({ tick, isComplete, isWhole }: Pick<Report, "tick" | "isComplete" | "isWhole">): void {
    if (isComplete) this.completed = tick;
    this.runLate((call) => (call.tick === tick ? isComplete : call.tick < tick && isWhole));
  }

  /** Runs the calls that have waited too long. */
  expire(now: number): void {
    this.runLate(({ since }) => now - since > MAX_WAIT);
  }

  private runLate(isDue: (call: LateCall) => boolean): void {
    const due = this.late.filter(isDue);
    this.late = this.late.filter((call) => !due.includes(call));
    for (const { run } of due) run();
  }

  private announce(object: NetworkObject): void {
    object.isAnnounced = true;
    this.observer.spawned(object);
    if (object.owned) this.observer.emit("owner", object);
  }

  private changed(behaviour: Behaviour, at: number, value: any, previous: any, operations: Operation[], tick: number): void {
    if (!behaviour.object.isAnnounced || !behaviour.layout.hearers(at, this.listeners).length) return;
    this.changes.push(new Change(behaviour, at, value, previous, operations, this.observer.networkTick(tick)));
  }

  /** Tells the changes since the last call. */
  tell(): void {
    const { changes } = this;
    if (!changes.length) return;
    this.changes = [];
    for (const change of changes) this.observer.changed(change);
  }
}

/** Reads the arguments of a call. From an unknown type on they are missing. */
function readValues(call: CallSchema, reader: Reader): any[] {
  const values: any[] = [];
  try {
    for (const type of call.arguments) values.push(type.read(reader));
    reader.finish(`the call ${call.name}`);
    return call.convert?.(values) ?? values;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
  }
  return values;
}
