// Predicted spawns: objects that the page shows before they arrive.

import type { Behaviour, NetworkObject } from "./objects.js";
import type { Prediction } from "./prediction.js";

/** Largest distance between the ticks of the two spawns. */
const MAX_DISTANCE = 8;

/** Ticks of the server after which an object will not come. */
const PATIENCE = 32;

/** Object that is expected. */
interface Expected {
  prediction: Prediction;
  tick: number;
  /** Called with the behaviour of the server, or without one. */
  arrived: (behaviour: Behaviour | undefined) => void;
}

/** Predicted spawns of a connection. */
export class Spawns {
  private expected: Expected[] = [];
  private arrived: NetworkObject[] = [];

  add(expected: Expected): void {
    this.expected.push(expected);
  }

  /** Notes an object of the server. */
  note(object: NetworkObject): void {
    if (this.expected.length) this.arrived.push(object);
  }

  /** Gives the predictions to the objects that have arrived up to a tick. `networkTick` returns the tick of an object's spawn. Returns the predictions that end. */
  match(tick: number, networkTick: (tick: number) => number): Prediction[] {
    for (const object of this.arrived.splice(0)) if (object.owned) this.give(object, networkTick(object.spawned));
    const late = this.expected.filter((it) => it.tick < tick - PATIENCE);
    this.expected = this.expected.filter((it) => !late.includes(it));
    for (const { arrived } of late) arrived(undefined);
    return late.map(({ prediction }) => prediction);
  }

  private give(object: NetworkObject, tick: number): void {
    const distance = (it: Expected): number => (object.get(it.prediction.schema.name) ? Math.abs(it.tick - tick) : Infinity);
    const [nearest] = [...this.expected].sort((a, b) => distance(a) - distance(b));
    if (!nearest || distance(nearest) > MAX_DISTANCE) return;
    this.expected.splice(this.expected.indexOf(nearest), 1);
    nearest.prediction.behaviour = object.get(nearest.prediction.schema.name);
    nearest.arrived(nearest.prediction.behaviour);
  }
}
