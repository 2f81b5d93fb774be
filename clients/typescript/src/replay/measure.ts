// Bytes of tick records by prefab and field.

import { forEachEntry, forEachMessage, Kind } from "../messages.js";
import type { Change } from "../objects.js";
import { bytesOf } from "../types.js";
import { Reader } from "../wire.js";
import type { World } from "../world.js";
import type { Costs } from "./facts.js";
import type { Item } from "./record.js";

/** Counts of the bytes of a record. */
export class Measure {
  private readonly deltas = new Map<number, number>();
  private readonly snapshots = new Map<number, number>();
  private calls = 0;

  constructor(items: readonly Item[], private readonly length: number) {
    for (const { messages } of items) {
      const reader = new Reader(messages);
      forEachMessage(reader, (kind) => {
        if (kind === Kind.Call) this.calls += reader.left;
        const parts = kind === Kind.UpdateBatch ? this.deltas : kind === Kind.SpawnBatch ? this.snapshots : undefined;
        if (parts) forEachEntry(reader, (id) => void (parts.set(id, (parts.get(id) ?? 0) + reader.left), reader.rest()));
        else reader.rest();
      });
    }
  }

  /** Returns the bytes, behind the changes of the record. */
  costs(world: World, changes: readonly Change[]): Costs {
    const costs: Costs = new Map();
    let rest = this.length - this.calls;
    const add = (name: string, bytes: number): void => {
      if (bytes > 0) costs.set(name, (costs.get(name) ?? 0) + bytes);
      rest -= bytes;
    };
    const prefab = (id: number): string => world.objects.get(id)?.prefab.name ?? "despawned";
    for (const [id, bytes] of this.snapshots) add(`${prefab(id)}: snapshots`, bytes);
    for (const { object, behaviour, at, field, value, operations } of changes) {
      const left = this.deltas.get(object.id);
      if (left === undefined || operations.length || value === undefined) continue;
      const bytes = Math.min(left, lengthOf(behaviour.schema.fields[at].type, value));
      this.deltas.set(object.id, left - bytes);
      add(`${object.prefab.name}: ${behaviour.name}.${field}`, bytes);
    }
    for (const [id, bytes] of this.deltas) add(`${prefab(id)}: collections and masks`, bytes);
    if (this.calls) costs.set("calls", this.calls);
    costs.set("heads", Math.max(rest, 0));
    return costs;
  }
}

function lengthOf(type: Parameters<typeof bytesOf>[0], value: any): number {
  try {
    return bytesOf(type, value, "").length;
  } catch {
    return 0;
  }
}
