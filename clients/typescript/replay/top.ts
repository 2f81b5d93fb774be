// The top view of objects with a position.

import type { NetworkObject, Replay } from "../src/replay.js";
import { at, colour, seriesColour } from "./dom.js";

/** Place of an object on the view. */
interface Place {
  object: NetworkObject;
  x: number;
  y: number;
}

/** Names of fields with a position, the likeliest first. */
const NAMES = ["position", "place", "pos", "location", "translation", "transform"];

/** Top view. */
export class TopView {
  private readonly canvas = at<HTMLCanvasElement>("top");
  private readonly context = this.canvas.getContext("2d")!;
  private readonly axes = at<HTMLSelectElement>("axes");
  private places: Place[] = [];
  /** Least and greatest places so far. */
  private bounds = [Infinity, Infinity, -Infinity, -Infinity];
  private readonly fields = new Map<string, { behaviour: number; field: string } | undefined>();

  constructor(
    private readonly replay: Replay,
    choose: (id: number) => void,
  ) {
    this.canvas.addEventListener("click", ({ offsetX, offsetY }) => {
      const toScreen = this.projection();
      const near = this.places.map((place) => ({ id: place.object.id, distance: Math.hypot(toScreen(place)[0] - offsetX, toScreen(place)[1] - offsetY) }));
      const [nearest] = near.sort((a, b) => a.distance - b.distance);
      if (nearest && nearest.distance < 24) choose(nearest.id);
    });
    this.axes.addEventListener("change", () => {
      this.bounds = [Infinity, Infinity, -Infinity, -Infinity];
      this.draw(undefined);
    });
    new ResizeObserver(() => this.draw(undefined)).observe(this.canvas);
  }

  draw(chosen: number | undefined): void {
    this.places = [];
    for (const object of this.replay.objects.values()) {
      const place = this.placeOf(object);
      if (place) this.places.push(place);
    }
    at("top-panel").hidden = !this.places.length && !Number.isFinite(this.bounds[0]);
    for (const place of this.places) this.include(place);
    this.paint(chosen);
  }

  /** Makes room for the places of objects at another time. */
  reserve(objects: Iterable<NetworkObject>): void {
    for (const object of objects) {
      const place = this.placeOf(object);
      if (place) this.include(place);
    }
  }

  private include({ x, y }: Place): void {
    const [left, low, right, high] = this.bounds;
    this.bounds = [Math.min(left, x), Math.min(low, y), Math.max(right, x), Math.max(high, y)];
  }

  private placeOf(object: NetworkObject): Place | undefined {
    const { name } = object.prefab;
    if (!this.fields.has(name)) this.fields.set(name, find(object));
    const found = this.fields.get(name);
    const value: any = found && object.behaviours[found.behaviour].fields[found.field];
    if (typeof value !== "object" || !value) return undefined;
    const [x, y, z] = Array.isArray(value) ? value : [value.x, value.y, value.z];
    const second = this.axes.value === "xy" || z === undefined ? y : z;
    return Number.isFinite(x) && Number.isFinite(second) ? { object, x, y: second } : undefined;
  }

  /** Returns the map from places to pixels. */
  private projection(): (place: { x: number; y: number }) => [number, number] {
    const [left, low, right, high] = this.bounds;
    const { clientWidth, clientHeight } = this.canvas;
    const [wide, tall] = [Math.max(right - left, 1e-3), Math.max(high - low, 1e-3)];
    const span = Math.max(wide / Math.max(clientWidth - 72, 1), tall / Math.max(clientHeight - 48, 1));
    return ({ x, y }) => [clientWidth / 2 + (x - (left + right) / 2) / span, clientHeight / 2 - (y - (low + high) / 2) / span];
  }

  private paint(chosen: number | undefined): void {
    const { canvas, context } = this;
    const scale = devicePixelRatio;
    canvas.width = Math.round(canvas.clientWidth * scale);
    canvas.height = Math.round(canvas.clientHeight * scale);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    if (!this.places.length) return;
    const toScreen = this.projection();
    this.paintGrid(toScreen);
    const prefabs = this.replay.header.schema.prefabs.map(({ name }) => name);
    const radius = this.places.length > 300 ? 2.5 : 6;
    context.font = "12px system-ui, sans-serif";
    for (const place of this.places) {
      const { object } = place;
      const [x, y] = toScreen(place);
      context.fillStyle = seriesColour(prefabs.indexOf(object.prefab.name));
      context.beginPath();
      context.arc(x, y, radius, 0, 7);
      context.fill();
      if (object.id === chosen) {
        context.strokeStyle = colour("accent");
        context.lineWidth = 2;
        context.beginPath();
        context.arc(x, y, radius + 4, 0, 7);
        context.stroke();
      }
      if (this.places.length > 60 && object.id !== chosen) continue;
      context.fillStyle = colour("ink");
      context.fillText(`#${object.id}`, x + radius + 5, y + 4);
    }
  }

  /** Draws the axes through the origin, and the size of the view. */
  private paintGrid(toScreen: (place: { x: number; y: number }) => [number, number]): void {
    const { context, canvas } = this;
    const [x, y] = toScreen({ x: 0, y: 0 });
    context.fillStyle = colour("line");
    context.fillRect(x, 0, 1, canvas.clientHeight);
    context.fillRect(0, y, canvas.clientWidth, 1);
    const [next] = toScreen({ x: 1, y: 0 });
    const unit = 10 ** Math.floor(Math.log10(canvas.clientWidth / 3 / Math.max(next - x, 1e-9)));
    const length = unit * (next - x);
    context.fillStyle = colour("dim");
    context.fillRect(12, canvas.clientHeight - 14, length, 2);
    context.font = "11px system-ui, sans-serif";
    context.fillText(String(Number(unit.toPrecision(3))), 12, canvas.clientHeight - 19);
  }
}

/** Finds the field of a prefab with a position. */
function find({ behaviours }: NetworkObject): { behaviour: number; field: string } | undefined {
  const found = behaviours.flatMap((it, behaviour) => it.schema.fields.map(({ name }) => ({ behaviour, field: name, value: it.fields[name] as any })));
  const isPlace = (value: any): boolean => (Array.isArray(value) ? value.length > 1 && value.length < 4 && value.every(Number.isFinite) : Number.isFinite(value?.x) && Number.isFinite(value?.y) && value.w === undefined);
  const rank = (name: string): number => NAMES.indexOf(name.toLowerCase()) + 1 || NAMES.length + 1;
  const places = found.filter(({ value, field }) => isPlace(value) && (!Array.isArray(value) || rank(field) <= NAMES.length));
  const [best] = places.sort((a, b) => rank(a.field) - rank(b.field));
  return best;
}
