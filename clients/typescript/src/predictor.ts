// Inputs and predictions of a client, in a module of their own: `new Predictor(client)`.

import type { Report } from "./arrivals.js";
import type { Client } from "./client.js";
import type { Connection } from "./connection.js";
import type { Extension } from "./extension.js";
import type { BehaviourTypes, GameTypes } from "./game.js";
import type { Ack } from "./headers.js";
import { Inputs } from "./inputs.js";
import { guarded } from "./listeners.js";
import type { Behaviour, NetworkObject } from "./objects.js";
import { Group, type GroupStep, Prediction, type Step } from "./prediction.js";
import type { Reader } from "./wire.js";
import { Spawns } from "./spawns.js";

export type { GroupStep, Prediction, State as PredictedState, Step } from "./prediction.js";

/** Settings of a prediction. */
export interface PredictionOptions {
  /** Largest error of a number that decays after a correction. A larger one jumps. */
  snap?: number;
}

/** States of behaviours. */
type StatesOf<Behaviours extends readonly Behaviour[]> = {
  [At in keyof Behaviours]: Behaviours[At] extends Behaviour<infer T> ? T["fields"] : never;
};

/** Inputs of a client, and behaviours that it shows ahead of the server. */
export class Predictor<G extends GameTypes = any> implements Extension {
  private readonly groups = new Set<Group>();
  private readonly spawns = new Spawns();
  private connection: Connection | undefined;
  private inputs: Inputs | undefined;
  /** Last tick of the server whose state is here. */
  private finishedTick = 0;

  constructor(private readonly client: Client<G>) {
    client.extend(this);
  }

  /**
   * Sets the input of the ticks to come, of the type that the server has registered: what the player holds down now. Call it in each frame.
   * Each tick of the input clock, which is ahead of the server's time, has one input. Throws while there is no connection, a `RangeError` or a
   * `TypeError` for a value that the type cannot hold.
   */
  setInput(value: G["input"]): void {
    const { connection } = this;
    if (!connection?.isConnected) throw new Error("not connected");
    this.inputs!.hold(connection.message("input").type, value);
    this.advanced();
  }

  /** Last tick that has begun on the input clock: that of the newest input. */
  get inputTick(): number | undefined {
    return this.inputs?.tick;
  }

  /**
   * Predicts a behaviour of an own object: `step` changes its state in each tick of the input clock, as the same step does on the server, and
   * is repeated where the server's state differs. It uses its arguments only. The prediction ends with the object.
   */
  predict<T extends BehaviourTypes>(behaviour: Behaviour<T>, step: Step<T["fields"], G["input"]>, options?: PredictionOptions): Prediction<T["fields"]> {
    this.end(behaviour);
    const prediction = this.prediction(behaviour, options);
    this.add(new Group([prediction], ([state], [input], tick) => step(state, input, tick)), this.finishedTick);
    return prediction;
  }

  /**
   * Predicts behaviours that act on each other, such as players that collide: they step and repeat together. The inputs of other clients are
   * unknown: `inputs` has `undefined` for their objects. The prediction of a behaviour that had one before takes its place.
   */
  predictGroup<const Behaviours extends readonly Behaviour[]>(
    behaviours: Behaviours,
    step: GroupStep<StatesOf<Behaviours>, G["input"]>,
    options?: PredictionOptions,
  ): Prediction[] {
    for (const behaviour of behaviours) this.end(behaviour);
    const members = behaviours.map((it) => this.prediction(it, options));
    this.add(new Group(members, step as GroupStep, ({ behaviour }) => behaviour!.object.owned), this.finishedTick);
    return members;
  }

  /**
   * Shows a change at once that the server is expected to make, because of a command that this client sends now: a door that opens. The server's
   * state of the tick in which the command arrives counts then. If the server's state changes before, `edit` runs on the new state. It combines
   * with `predict`.
   */
  anticipate<T extends BehaviourTypes>(behaviour: Behaviour<T>, edit: (state: T["fields"]) => void): Prediction<T["fields"]> {
    const known = this.members().find((it) => it.behaviour === behaviour);
    const prediction = known ?? this.prediction(behaviour);
    if (!known) this.add(prediction.group, this.finishedTick);
    // The change comes behind the ticks up to now.
    this.advanced();
    prediction.edit(edit);
    return prediction;
  }

  /**
   * Shows an object at once that the server is expected to spawn because of an input: a projectile, by its behaviour of this name. Call it together with `setInput`: the tick of the
   * spawn is the next one that begins. `arrived` is called with the behaviour of the server's object, which the prediction follows then: the own object with the nearest
   * spawn, at most 8 ticks away; or with `undefined` when none has come for 32 ticks, which ends the prediction. Throws before `inputTick`.
   */
  predictSpawn<Name extends keyof G["behaviours"] & string>(
    name: Name,
    fields: G["behaviours"][Name]["fields"],
    step: Step<G["behaviours"][Name]["fields"], G["input"]>,
    arrived: (behaviour: Behaviour<G["behaviours"][Name]> | undefined) => void = () => {},
  ): Prediction<G["behaviours"][Name]["fields"]> {
    const schema = this.client.schema?.prefabs.flatMap((it) => it.behaviours).find((it) => it.name === name);
    const { inputTick } = this;
    if (!schema || inputTick === undefined) throw new RangeError(`no behaviour ${name} is predicted now`);
    const prediction = new Prediction(schema, undefined, this.moment);
    prediction.state = fields as any;
    this.add(new Group([prediction], ([state], [input], tick) => step(state, input, tick)), inputTick);
    this.spawns.add({ prediction, tick: inputTick + 1, arrived });
    return prediction;
  }

  private readonly moment = (): number => this.inputs?.moment ?? 0;

  private prediction(behaviour: Behaviour, options?: PredictionOptions): Prediction {
    return new Prediction(behaviour.schema, behaviour, this.moment, options?.snap);
  }

  private members(): Prediction[] {
    return [...this.groups].flatMap((it) => it.members);
  }

  private add(group: Group, tick: number): void {
    for (const it of group.members) it.group = group;
    this.groups.add(group);
    group.begin(tick, this.inputs?.list ?? []);
  }

  /** Ends the prediction of a behaviour, with its group. */
  private end(behaviour: Behaviour): void {
    for (const group of this.groups) if (group.members.some((it) => it.behaviour === behaviour)) this.groups.delete(group);
  }

  connected(connection: Connection): void {
    this.connection = connection;
    this.inputs = new Inputs(connection.clock, connection);
  }

  /** Begins the ticks of the inputs up to now, and sends them. */
  advanced(): void {
    const { connection, inputs } = this;
    if (!connection?.isConnected || !inputs) return;
    const begun = inputs.advance(performance.now(), this.groups.size > 0);
    for (const input of begun) for (const group of this.groups) guarded(() => group.advance(input));
    if (begun.length) inputs.send(connection.unreliable, connection.view.message());
  }

  /** Number of inputs that the server has refused on this connection: they were too far ahead of its time, or too many. They are sent again. */
  get refusedInputs(): number {
    return this.inputs?.refused ?? 0;
  }

  acknowledged(ack: Ack, last: number): void {
    this.inputs?.acknowledge(ack, last);
  }

  reported(reader: Reader): void {
    this.inputs?.report(reader.packed(), reader.u8() - 128, reader.packed(), reader.packed());
  }

  ready(): void {
    // The ticks of another connection begin anew.
    for (const group of this.groups) group.begin(this.finishedTick, []);
  }

  spawned(object: NetworkObject): void {
    this.spawns.note(object);
  }

  finished({ tick, isWhole }: Report, network: number): void {
    this.finishedTick = network;
    for (const ended of this.spawns.match(network, (it) => this.connection!.networkTick(it))) this.groups.delete(ended.group);
    for (const group of this.groups) {
      const has = (behaviour: Behaviour, at: number): boolean => isWhole || behaviour.tickOf(at) === tick;
      guarded(() => group.compare(network, has, this.inputs!.list, performance.now()));
    }
  }

  despawned(object: NetworkObject): void {
    for (const behaviour of object.behaviours) this.end(behaviour);
  }
}
