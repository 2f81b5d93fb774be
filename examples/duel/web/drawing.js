// The drawing of the duel.

import { COLOURS, drawBall, drawLabel, MINE, panels, prepare, theme } from "./canvas.js";
import { meets, PILLARS, RADIUS, SIZE } from "./rules.js";

/** Time in which a shot fades, and a number rises, in milliseconds. */
const SHOT = 220;
const NUMBER = 900;

/** Draws the field. Returns the functions that turn points of the page into those of the field, and back. */
export function drawField(canvas, { players, rockets, aim }, effects, now) {
  const { context, width, height } = prepare(canvas);
  // The panels take a part of the page: on a wide screen beside the field, on a narrow one above and below.
  const [beside, above, below] = width < 760 ? [0, ...panels(height)] : [2 * 260, 12, 12];
  const scale = Math.min((width - beside) / (2 * SIZE + 2), (height - above - below) / (2 * SIZE + 2));
  const middle = { x: width / 2, y: above + (height - above - below) / 2 };
  const at = ({ x, y }) => [middle.x + x * scale, middle.y - y * scale];
  drawFloor(context, at, scale);
  for (const pillar of PILLARS) drawPillar(context, at(pillar), scale);
  for (const shot of effects.shots) drawShot(context, at, shot, (now - shot.at) / SHOT, players);
  for (const rocket of rockets) drawRocket(context, at, rocket, scale);
  const ordered = [...players].sort((a, b) => b.y - a.y);
  for (const player of ordered) drawPlayer(context, at, player, scale, aim);
  // No ball covers a name.
  const taken = [];
  for (const player of ordered) drawLabel(context, at(player), scale * RADIUS, player, taken);
  for (const number of effects.numbers) {
    const player = players.find((it) => it.id === number.player);
    if (player) drawNumber(context, at(player), number, scale, (now - number.at) / NUMBER);
  }
  effects.shots = effects.shots.filter((shot) => now - shot.at < SHOT);
  effects.numbers = effects.numbers.filter((number) => now - number.at < NUMBER);
  return { toField: ({ x, y }) => ({ x: (x - middle.x) / scale, y: (middle.y - y) / scale }), toPage: at };
}

function drawFloor(context, at, scale) {
  const edge = SIZE + RADIUS;
  const [left, top] = at({ x: -edge, y: edge });
  const light = context.createRadialGradient(...at({ x: 0, y: 0 }), scale, ...at({ x: 0, y: 0 }), scale * SIZE * 1.3);
  light.addColorStop(0, theme().centre);
  light.addColorStop(1, theme().floor);
  context.fillStyle = light;
  context.strokeStyle = theme().edge;
  context.lineWidth = 2;
  context.beginPath();
  context.roundRect(left, top, 2 * edge * scale, 2 * edge * scale, scale * 0.5);
  context.fill();
  context.stroke();
  context.save();
  context.clip();
  context.strokeStyle = theme().grid;
  context.lineWidth = 1;
  context.beginPath();
  for (let line = -SIZE; line <= SIZE; line += 2) {
    context.moveTo(...at({ x: line, y: -99 }));
    context.lineTo(...at({ x: line, y: 99 }));
    context.moveTo(...at({ x: -99, y: line }));
    context.lineTo(...at({ x: 99, y: line }));
  }
  context.stroke();
  context.restore();
}

function circle(context, [x, y], radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
}

function drawPillar(context, [x, y], scale) {
  context.fillStyle = "#0007";
  circle(context, [x + scale * 0.08, y + scale * 0.12], scale * RADIUS);
  context.fill();
  drawBall(context, [x, y], scale * RADIUS, "#6b7a96");
}

function drawPlayer(context, at, player, scale, aim) {
  const radius = scale * RADIUS;
  const [x, y] = at(player);
  if (player.onServer) {
    // The own player of the server's newest state: it is behind the prediction.
    context.strokeStyle = `${MINE}cc`;
    context.lineWidth = 1.5;
    context.setLineDash([4, 4]);
    circle(context, at(player.onServer), radius);
    context.stroke();
    context.setLineDash([]);
  }
  if (player.isMine && aim) {
    context.strokeStyle = `${MINE}88`;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(...at({ x: player.x + aim.x * 3, y: player.y + aim.y * 3 }));
    context.stroke();
  }
  drawBall(context, [x, y], radius, player.isMine ? MINE : COLOURS[player.id % COLOURS.length]);
}

/** Draws a shot as far as it flies: to a player, a pillar or the edge. */
function drawShot(context, at, { from, ray, by }, age, players) {
  const targets = [...PILLARS, ...players.filter((it) => it.id !== by)];
  const edges = ["x", "y"].map((axis) => (Math.sign(ray[axis]) * (SIZE + RADIUS) - from[axis]) / ray[axis]).filter((it) => it > 0);
  const length = Math.min(...edges, ...targets.map((it) => meets(from, ray, it) ?? Infinity));
  const along = (share) => at({ x: from.x + ray.x * share, y: from.y + ray.y * share });
  context.globalAlpha = 1 - age;
  context.strokeStyle = theme().shot;
  context.lineCap = "round";
  context.lineWidth = 2.5;
  context.beginPath();
  context.moveTo(...along(Math.min(RADIUS, length)));
  context.lineTo(...along(length));
  context.stroke();
  context.fillStyle = theme().shot;
  circle(context, along(length), 4);
  context.fill();
  context.globalAlpha = 1;
}

function drawRocket(context, at, rocket, scale) {
  const [x, y] = at(rocket);
  const glow = context.createRadialGradient(x, y, 0, x, y, scale * 0.55);
  glow.addColorStop(0, "#fff");
  glow.addColorStop(0.25, "#ff9f43");
  glow.addColorStop(1, "#ff9f4300");
  context.fillStyle = glow;
  circle(context, [x, y], scale * 0.55);
  context.fill();
}

function drawNumber(context, [x, y], { points }, scale, age) {
  context.globalAlpha = 1 - age;
  context.font = "700 18px system-ui, sans-serif";
  context.textAlign = "center";
  context.fillStyle = theme().number;
  context.fillText(`-${points}`, x, y - scale * (0.7 + age));
  context.globalAlpha = 1;
}
