// Parts of two builds that are the same part, by their names.

import type { Names } from "../text.js";

/** Returns the part of a list that is this one: by its present name first, then by a former name of one of them. */
export function find<Part extends Names>(part: Names, list: readonly Part[]): Part | undefined {
  const matches = (it: Part): boolean => it.was.includes(part.name) || part.was.includes(it.name);
  return list.find((it) => it.name === part.name) ?? list.find(matches);
}

/** Returns the parts of two lists that are the same, each of them once, in the order of the first list. */
export function pairs<Part extends Names>(from: readonly Part[], to: readonly Part[], accepts: (a: Part, b: Part) => boolean = () => true): Map<Part, Part> {
  const found = new Map<Part, Part>();
  const free = new Set(to);
  for (const part of from) {
    const other = find(part, [...free].filter((it) => accepts(part, it)));
    if (!other) continue;
    found.set(part, other);
    free.delete(other);
  }
  return found;
}
