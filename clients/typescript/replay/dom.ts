// Elements, and values as text.

/** Makes an element with properties and children. */
export function make<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Partial<HTMLElementTagNameMap[K]> = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Returns the element of the page with an id. */
export function at<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** Returns a colour of the style sheet. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Number of colours of series. */
const COLOURS = 8;

/** Returns the colour of a series or a prefab. */
export function seriesColour(index: number): string {
  return colour(`c${index % COLOURS}`);
}

/** Returns seconds as `1:02.345`, or `1:02:03.456`. */
export function clock(seconds: number, digits = 3): string {
  const scale = 10 ** digits;
  const rounded = Math.round(seconds * scale) / scale;
  const minutes = Math.floor(rounded / 60);
  const rest = (rounded - 60 * minutes).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/** Returns bytes as `1.5 KB`. */
export function size(bytes: number): string {
  for (const [unit, scale] of [["GB", 1e9], ["MB", 1e6], ["KB", 1e3]] as const) {
    if (bytes >= scale) return `${(bytes / scale).toFixed(bytes < 10 * scale ? 1 : 0)} ${unit}`;
  }
  return `${Math.round(bytes)} B`;
}

/** Longest text of a value. */
const LONGEST = 400;

/** Returns a value as a short text. */
export function shown(value: unknown, depth = 0): string {
  const text = written(value, depth);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function written(value: unknown, depth: number): string {
  if (value === undefined) return "—";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  if (typeof value === "string") return depth ? JSON.stringify(value) : value || '""';
  if (typeof value !== "object" || !value) return String(value);
  if (depth > 3) return "…";
  const list = (all: Iterable<unknown>, open: string, close: string): string => {
    const parts: string[] = [];
    for (const it of all) {
      if (parts.length === 40) {
        parts.push("…");
        break;
      }
      parts.push(shown(it, depth + 1));
    }
    return `${open}${parts.join(", ")}${close}`;
  };
  if (value instanceof Map) return list([...value].map(([key, it]) => new Pair(key, it)), "{", "}");
  if (value instanceof Member) return `${value.name}: ${shown(value.value, depth)}`;
  if (value instanceof Pair) return `${shown(value.key, depth + 1)}: ${shown(value.value, depth + 1)}`;
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (Array.isArray(value)) return list(value, "[", "]");
  if (value instanceof Set) return list(value, "{", "}");
  const members = Object.entries(value);
  const isVector = members.length <= 4 && members.every(([name, it]) => name.length === 1 && typeof it === "number");
  return isVector ? `(${members.map(([, it]) => short(it)).join(", ")})` : list(members.map(([name, it]) => new Member(name, it)), "{ ", " }");
}

const short = (value: number): string => String(Number(value.toFixed(3)));

/** Entry of a map. */
class Pair {
  constructor(
    readonly key: unknown,
    readonly value: unknown,
  ) {}
}

/** Member of a struct. */
class Member {
  constructor(
    readonly name: string,
    readonly value: unknown,
  ) {}
}

/** Number in a value, with its path such as `position.x`. */
export interface NumberIn {
  path: string;
  value: number;
}

/** Returns the numbers in a value. */
export function numbersIn(path: string, value: unknown, depth = 0): NumberIn[] {
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return [{ path, value: Number(value) }];
  if (typeof value !== "object" || !value || depth > 2 || value instanceof Map || value instanceof Set || value instanceof Uint8Array) return [];
  if (Array.isArray(value) && value.length > 4) return [];
  return Object.entries(value).flatMap(([name, it]) => numbersIn(`${path}.${name}`, it, depth + 1));
}
