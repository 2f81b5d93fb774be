// Parts of two builds that are the same part, by their names.

import type { Names } from "../text.js";

/**
 * Returns the part of the second build for a part of the first: by its present name first, then by a former name of one of
 * them. A part whose present name the first build has too belongs to that part, and to no former name.
 */
export function find<Part extends Names>(part: Names, list: readonly Part[], first: readonly Names[]): Part | undefined {
  const isFree = (it: Part): boolean => !first.some((own) => own.name === it.name);
  const matches = (it: Part): boolean => (it.was.includes(part.name) || part.was.includes(it.name)) && isFree(it);
  return list.find((it) => it.name === part.name) ?? list.find(matches);
}

/** Returns the parts of two lists that are the same, each of them once, in the order of the first list, which may be a part of the first build's. */
export function pairs<Part extends Names>(from: readonly Part[], to: readonly Part[], accepts: (a: Part, b: Part) => boolean = () => true, first = from): Map<Part, Part> {
  const found = new Map<Part, Part>();
  const free = new Set(to);
  for (const part of from) {
    const other = find(part, [...free].filter((it) => accepts(part, it)), first);
    if (!other) continue;
    found.set(part, other);
    free.delete(other);
  }
  return found;
}
