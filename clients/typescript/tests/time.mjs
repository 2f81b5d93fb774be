// Time of a test file: `performance.now()` and the timers advance together in `sleep`, so a busy machine adds no tick to it.

import { mock } from "node:test";

let now = 1000;
mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
mock.method(performance, "now", () => now);

/** Lets time pass, in steps of a millisecond. The promises that are due settle after each step. */
export async function sleep(ms) {
  for (let step = 0; step < ms; step++) {
    now++;
    mock.timers.tick(1);
    await new Promise((done) => setImmediate(done));
  }
}

/** Waits until all that is due now has run. */
export const turn = () => sleep(2);
