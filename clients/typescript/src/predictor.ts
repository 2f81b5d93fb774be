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
import { Prediction, type Step } from "./prediction.js";
import type { Reader } from "./wire.js";

export type { Prediction, State as PredictedState, Step } from "./prediction.js";

/** Inputs of a client, and behaviours that it shows ahead of the server. */
export class Predictor<G extends GameTypes = any> implements Extension {
  private readonly predictions = new Map<Behaviour, Prediction>();
  private connection: Connection | undefined;
  private inputs: Inputs | undefined;
  /** Last tick of the server whose state is here. */
  private finishedTick = 0;

  constructor(client: Client<G>) {
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
  predict<T extends BehaviourTypes>(behaviour: Behaviour<T>, step: Step<T["fields"], G["input"]>): Prediction<T["fields"]> {
    const prediction = new Prediction<T["fields"]>(behaviour, step, () => this.inputs?.moment ?? 0);
    this.predictions.set(behaviour, prediction);
    prediction.begin(this.finishedTick, this.inputs?.list ?? []);
    return prediction;
  }

  connected(connection: Connection): void {
    this.connection = connection;
    this.inputs = new Inputs(connection.clock, connection);
  }

  /** Begins the ticks of the inputs up to now, and sends them. */
  advanced(): void {
    const { connection, inputs } = this;
    if (!connection?.isConnected || !inputs) return;
    const begun = inputs.advance(performance.now());
    for (const input of begun) for (const prediction of this.predictions.values()) guarded(() => prediction.advance(input));
    if (begun.length) inputs.send(connection.unreliable, connection.view.message());
  }

  acknowledged(ack: Ack, last: number): void {
    this.inputs?.acknowledge(ack, last);
  }

  reported(reader: Reader): void {
    this.inputs?.report(reader.packed(), reader.u8() - 128, reader.packed(), reader.packed());
  }

  ready(): void {
    // The ticks of another connection begin anew.
    for (const prediction of this.predictions.values()) prediction.begin(this.finishedTick, []);
  }

  spawned(): void {}

  finished({ tick, isWhole }: Report, network: number): void {
    this.finishedTick = network;
    for (const [behaviour, prediction] of this.predictions) {
      const has = (at: number): boolean => isWhole || behaviour.tickOf(at) === tick;
      guarded(() => prediction.compare({ tick: network, has }, this.inputs!.list, performance.now()));
    }
  }

  despawned(object: NetworkObject): void {
    for (const behaviour of object.behaviours) this.predictions.delete(behaviour);
  }
}
