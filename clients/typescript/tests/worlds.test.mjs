// Random worlds against a client in Rust. `WORLDS` is the program `pages` of `testing/`; `WORLD_COUNT` worlds from `WORLD_SEED` on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../syncvar.js";
import { begin } from "./world-process.mjs";
import { play } from "./worlds.mjs";

const { WORLDS, WORLD_COUNT = "60", WORLD_SEED = "0" } = process.env;

/** Worlds of a process: it may learn schemas up to a limit of memory. */
const PART = 250;

test("random worlds are those of a client in Rust", { skip: !WORLDS && "no WORLDS" }, async () => {
  const [first, count] = [Number(WORLD_SEED), Number(WORLD_COUNT)];
  const failures = [];
  let rust;
  for (let seed = first; seed < first + count; seed++) {
    if (!rust || (seed - first) % PART === 0) {
      rust?.end();
      rust = begin(WORLDS);
    }
    await play(Client, seed, rust.exchange).catch((error) => failures.push(`seed ${seed}: ${error.message}`));
  }
  rust.end();
  assert.deepEqual(failures, [], `${failures.length} of ${count} worlds`);
});
