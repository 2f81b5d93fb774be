// The events of the tick.

import type { Replay, TickEvent } from "../src/replay.js";
import { at, make, shown } from "./dom.js";

/** Most rows. */
const MOST = 200;

/** Table of the events of the tick. */
export class Changes {
  private shownEvents: readonly TickEvent[] | undefined;
  private count = -1;

  constructor(
    private readonly replay: Replay,
    private readonly choose: (id: number) => void,
  ) {}

  draw(): void {
    const { events } = this.replay;
    if (events === this.shownEvents && events.length === this.count) return;
    [this.shownEvents, this.count] = [events, events.length];
    at("changes-count").textContent = String(events.length);
    const rows = events.slice(0, MOST).map((event) => this.row(event));
    if (!rows.length) rows.push(make("tr", {}, make("td", { className: "dim" }, "Nothing changed in this tick.")));
    if (events.length > MOST) rows.push(make("tr", {}, make("td", { className: "dim", colSpan: 3 }, `and ${events.length - MOST} more`)));
    at("changes").replaceChildren(...rows);
  }

  private row(event: TickEvent): HTMLElement {
    const [object, what, value] = described(event);
    const first = make("td");
    if (object) first.append(make("button", { type: "button", onclick: () => this.choose(object.id), title: object.prefab.name }, `#${object.id}`));
    return make("tr", {}, first, make("td", {}, what), make("td", { className: "value" }, value));
  }
}

function described(event: TickEvent): [Extract<TickEvent, { kind: "spawn" | "despawn" }>["object"] | undefined, string, string] {
  switch (event.kind) {
    case "change": {
      const { object, behaviour, field, value, previous, operations } = event.change;
      const was = typeof previous === "object" && previous && operations.length ? `${operations.length} operations → ` : `${shown(previous)} → `;
      return [object, `${behaviour.name}.${field}`, was + shown(value)];
    }
    case "call":
      return [event.behaviour.object, `${event.name}()`, shown(event.values)];
    case "message":
      return [undefined, `message ${event.name}`, shown(event.value)];
    default:
      return [event.object, event.kind, event.object.prefab.name];
  }
}
