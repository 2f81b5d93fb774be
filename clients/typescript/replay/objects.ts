// The objects by prefab, and the fields of the chosen one.

import type { NetworkObject, Replay } from "../src/replay.js";
import { at, make, numbersIn, seriesColour, shown } from "./dom.js";

/** Most objects of a prefab in the list. */
const MOST = 200;

/** List of objects, and the fields of the chosen one. */
export class Objects {
  /** Id of the chosen object. */
  chosen: number | undefined;
  private readonly filter = at<HTMLInputElement>("filter");
  /** Objects in the list, as text: the list is made anew if it differs. */
  private listed = "";
  private readonly closed = new Set<string>();
  private readonly buttons = new Map<number, HTMLButtonElement>();
  /** Object, and cells of its values. */
  private shownObject: NetworkObject | undefined;
  private cells: { cell: HTMLElement; read: () => unknown }[] = [];

  constructor(
    private readonly replay: Replay,
    private readonly plots: { has(id: number, place: string): boolean; toggle(object: NetworkObject, place: string): void },
  ) {
    this.filter.addEventListener("input", () => this.draw());
  }

  choose(id: number): void {
    this.chosen = id;
    this.draw();
  }

  draw(): void {
    const byPrefab = this.byPrefab();
    const key = [...byPrefab].map(([name, all]) => `${name}:${all.slice(0, MOST).map(({ id }) => id)}+${all.length}`).join("|");
    if (key !== this.listed) {
      this.listed = key;
      this.list(byPrefab);
    }
    at("objects-count").textContent = String(this.replay.objects.size);
    if (this.chosen === undefined || !this.replay.objects.has(this.chosen)) this.chosen = [...byPrefab.values()][0]?.[0]?.id ?? this.chosen;
    for (const [id, button] of this.buttons) button.setAttribute("aria-pressed", String(id === this.chosen));
    this.drawFields();
  }

  private byPrefab(): Map<string, NetworkObject[]> {
    const wanted = this.filter.value.trim().toLowerCase();
    const found = new Map<string, NetworkObject[]>();
    for (const { name } of this.replay.header.schema.prefabs) found.set(name, []);
    for (const object of this.replay.objects.values()) {
      const { name } = object.prefab;
      if (!wanted || String(object.id) === wanted || name.toLowerCase().includes(wanted)) found.get(name)?.push(object);
    }
    for (const [name, all] of found) {
      if (!all.length) found.delete(name);
      all.sort((a, b) => a.id - b.id);
    }
    return found;
  }

  private list(byPrefab: Map<string, NetworkObject[]>): void {
    this.buttons.clear();
    const prefabs = this.replay.header.schema.prefabs.map(({ name }) => name);
    const groups = [...byPrefab].map(([name, all]) => {
      const buttons = all.slice(0, MOST).map(({ id }) => {
        const button = make("button", { type: "button", onclick: () => this.choose(id) }, `#${id}`);
        this.buttons.set(id, button);
        return button;
      });
      const swatch = make("i", { className: "swatch" });
      swatch.style.background = seriesColour(prefabs.indexOf(name));
      const group = make("details", { open: !this.closed.has(name) }, make("summary", {}, swatch, name, make("small", {}, String(all.length))), make("div", { className: "chips" }, ...buttons));
      if (all.length > MOST) group.append(make("p", { className: "dim" }, `and ${all.length - MOST} more: filter by id`));
      group.addEventListener("toggle", () => (group.open ? this.closed.delete(name) : this.closed.add(name)));
      return group;
    });
    at("objects").replaceChildren(...groups);
  }

  private drawFields(): void {
    const object = this.chosen === undefined ? undefined : this.replay.objects.get(this.chosen);
    if (object !== this.shownObject) {
      this.shownObject = object;
      this.listFields(object);
    }
    for (const { cell, read } of this.cells) {
      const text = shown(read());
      if (cell.textContent !== text) cell.textContent = text;
    }
  }

  private listFields(object: NetworkObject | undefined): void {
    this.cells = [];
    at("fields-title").textContent = object ? `${object.prefab.name} #${object.id}` : "No object";
    const rows: HTMLElement[] = [];
    for (const behaviour of object?.behaviours ?? []) {
      rows.push(make("tr", {}, make("th", { colSpan: 3, scope: "rowgroup" }, behaviour.name)));
      for (const { name, readers } of behaviour.schema.fields) {
        const cell = make("td", { className: "value" });
        const read = (): unknown => behaviour.fields[name];
        this.cells.push({ cell, read });
        const plots = numbersIn(name, read()).map(({ path }) => this.plotBox(object!, `${behaviour.name}.${path}`, path.slice(name.length + 1)));
        const label = make("td", { title: readers === "all" ? "" : `read by: ${readers}` }, name);
        rows.push(make("tr", {}, label, cell, make("td", { className: "plot" }, ...plots)));
      }
    }
    at("fields").replaceChildren(...rows);
  }

  private plotBox(object: NetworkObject, place: string, part: string): HTMLElement {
    const box = make("input", { type: "checkbox", checked: this.plots.has(object.id, place), ariaLabel: `plot ${place}` });
    box.addEventListener("change", () => this.plots.toggle(object, place));
    return make("label", { title: `plot ${place}` }, box, part);
  }
}
