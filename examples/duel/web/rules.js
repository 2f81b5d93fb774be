// The rules of the duel that a page needs: `rules.rs` once more. Each result of an operation is rounded to 32 bits, as in Rust: the two ends
// have the same bits, which `clients/typescript/tests/duel.test.mjs` compares.

const f = Math.fround;

export const RATE = 30;
export const RADIUS = 0.5;
export const SIZE = 8;
export const PILLARS = [{ x: 4, y: 3 }, { x: -4, y: -3 }];
const STEP = f(1 / RATE);
const SPEED = 5;

const clamp = (value) => Math.min(Math.max(value, -SIZE), SIZE);
const square = (value) => f(value * value);
const length = (x, y) => f(Math.sqrt(f(square(x) + square(y))));

/** Moves a player by a tick. */
export function step(player, input) {
  const most = Math.max(length(input.x, input.y), 1);
  const moved = (from, by) => clamp(f(from + f(f(f(by / most) * SPEED) * STEP)));
  let at = { x: moved(player.position.x, input.x), y: moved(player.position.y, input.y) };
  for (const pillar of PILLARS) {
    const distance = Math.max(length(f(at.x - pillar.x), f(at.y - pillar.y)), f(0.01));
    if (distance >= 2 * RADIUS) continue;
    const share = f((2 * RADIUS) / distance);
    const pushed = (from, to) => f(from + f(f(to - from) * share));
    at = { x: pushed(pillar.x, at.x), y: pushed(pillar.y, at.y) };
  }
  player.position = at;
}

/** Distance at which a ray of length 1 meets a circle; `undefined` if it does not. */
export function meets(from, ray, circle) {
  const [x, y] = [f(circle.x - from.x), f(circle.y - from.y)];
  const along = f(f(x * ray.x) + f(y * ray.y));
  const beside = f(f(x * ray.y) - f(y * ray.x));
  return along > 0 && Math.abs(beside) < RADIUS ? along : undefined;
}

/** Whether a shot hits a player, and no pillar before it. */
export function hits(from, ray, target) {
  const distance = meets(from, ray, target);
  return distance !== undefined && PILLARS.every((pillar) => distance < (meets(from, ray, pillar) ?? Infinity));
}
