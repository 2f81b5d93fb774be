// Rotations of 4 bytes: `SmallestThree` of WIRE.md, section 2.

import { type Codec, fail } from "./types.js";
import { WireError } from "./wire.js";

const STEPS = 511 * Math.SQRT2;
export const AXES = ["x", "y", "z", "w"] as const;

function largest(turn: any): number {
  const sizes = AXES.map((axis) => Math.abs(turn[axis]));
  return sizes.indexOf(Math.max(...sizes));
}

/** Rotation with this largest component and these steps of the others. */
function rotation(omitted: number, steps: number[]): any {
  const others = steps.map((step) => step / STEPS);
  const rest = 1 - others.reduce((sum, it) => sum + it * it, 0);
  others.splice(omitted, 0, Math.sqrt(Math.max(rest, 0)));
  return Object.fromEntries(AXES.map((axis, index) => [axis, Math.fround(others[index])]));
}

export const SMALLEST_THREE: Codec = {
  read(reader) {
    const bits = reader.u32();
    const steps = [20, 10, 0].map((shift) => ((bits >>> shift) & 1023) - 511);
    const turn = rotation(bits >>> 30, steps);
    if (steps.some((step) => step > 511) || largest(turn) !== bits >>> 30) throw new WireError("no rotation");
    return turn;
  },
  write(writer, value) {
    const parts = AXES.map((axis) => value[axis]);
    const length = Math.hypot(...parts);
    if (!Number.isFinite(length)) fail("rotation", length);
    let omitted = length ? largest(value) : 3;
    const [left] = parts.splice(omitted, 1);
    const scale = length ? (STEPS * (left < 0 ? -1 : 1)) / length : 0;
    const steps = parts.map((part) => Math.sign(part * scale) * Math.round(Math.abs(part * scale)));
    // Of two nearly equal components the rounding may exchange the larger one.
    while (largest(rotation(omitted, steps)) !== omitted) {
      const sizes = steps.map(Math.abs);
      const at = sizes.indexOf(Math.max(...sizes));
      steps[at] -= Math.sign(steps[at]);
    }
    writer.u32(steps.reduce((bits, step) => bits * 1024 + step + 511, omitted));
  },
};
