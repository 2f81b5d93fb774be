// The process in Rust of the random worlds: the program `pages` of `testing/`.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Begins a process, and returns its answers to lines. */
export function begin(program) {
  const rust = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: rust.stdout })[Symbol.asyncIterator]();
  const exchange = async (value) => {
    rust.stdin.write(`${JSON.stringify(value)}\n`);
    return JSON.parse((await lines.next()).value);
  };
  return { exchange, end: () => rust.stdin.end() };
}
