// What the adapters of frameworks listen to: one listener of the client for all components.

import type { Client } from "./client.js";

type Notify = () => void;

/** Components of a client by what they show. */
class Watchers {
  private readonly byKey = new Map<unknown, Map<string, Set<Notify>>>();

  constructor(client: Client) {
    client.on("change", ({ behaviour, field }) => this.notify(behaviour, field));
    for (const event of ["spawn", "despawn", "owner"] as const) client.on(event, (...[object]) => this.notify(object.id, ""));
  }

  private notify(key: unknown, field: string): void {
    for (const notify of [...(this.byKey.get(key)?.get(field) ?? [])]) notify();
  }

  add(key: unknown, field: string, notify: Notify): Notify {
    const fields = this.byKey.get(key) ?? new Map<string, Set<Notify>>();
    const all = fields.get(field) ?? new Set();
    this.byKey.set(key, fields.set(field, all.add(notify)));
    return () => {
      all.delete(notify);
      if (!all.size) fields.delete(field);
      if (!fields.size) this.byKey.delete(key);
    };
  }
}

const watchers = new WeakMap<Client, Watchers>();

/** Calls `notify` when a field of a behaviour changes, or when the object of an id comes, leaves or has another owner. Returns the end of it. */
export function watch(client: Client<any>, key: object | number, field: string, notify: Notify): Notify {
  const known = watchers.get(client) ?? new Watchers(client);
  watchers.set(client, known);
  return known.add(key, field, notify);
}
