// The drawing of the arena.

import { COLOURS, drawBall, drawLabel, MINE, panels, prepare, theme } from "./canvas.js";

/** Draws the arena. Returns the view, which turns points of the page into those of the arena. */
export function drawArena(canvas, size, { fighters, crown }, blows, now) {
  const { context, width, height } = prepare(canvas);
  // The panels take a part of the page: on a wide screen beside the arena, on a narrow one above and below.
  const [beside, above, below] = width < 760 ? [0, ...panels(height)] : [230, 64, 92];
  const scale = Math.min((width - beside) / (2 * size.x + 2), (height - above - below) / (2 * size.y + 1.5));
  const middle = { x: (width - beside) / 2, y: above + (height - above - below) / 2 };
  const at = (x, y) => [middle.x + x * scale, middle.y - y * scale];
  drawFloor(context, at, size, scale);
  if (crown && !crown.wearer) drawCrown(context, ...at(0, 0), scale * 0.9);
  const ordered = [...fighters].sort((a, b) => b.y - a.y);
  for (const fighter of ordered) drawFighter(context, at(fighter.x, fighter.y), scale, fighter, now);
  // No ball covers a name.
  const taken = [];
  for (const fighter of ordered) drawLabel(context, at(fighter.x, fighter.y), radiusOf(scale), fighter, taken);
  for (const blow of blows) {
    const fighter = fighters.find((it) => it.id === blow.object);
    if (fighter) drawBlow(context, at(fighter.x, fighter.y), scale, blow, (now - blow.at) / 900);
  }
  return { toArena: ({ x, y }) => ({ x: (x - middle.x) / scale, y: (middle.y - y) / scale }) };
}

function drawFloor(context, at, size, scale) {
  const [left, top] = at(-size.x - 0.6, size.y + 0.6);
  const [wide, high] = [(2 * size.x + 1.2) * scale, (2 * size.y + 1.2) * scale];
  const light = context.createRadialGradient(...at(0, 0), scale, ...at(0, 0), scale * size.x * 1.2);
  light.addColorStop(0, theme().centre);
  light.addColorStop(1, theme().floor);
  context.fillStyle = light;
  context.strokeStyle = theme().edge;
  context.lineWidth = 2;
  context.beginPath();
  context.roundRect(left, top, wide, high, scale * 0.8);
  context.fill();
  context.stroke();
  context.save();
  context.clip();
  context.strokeStyle = theme().grid;
  context.lineWidth = 1;
  context.beginPath();
  for (let x = -size.x; x <= size.x; x += 2) context.moveTo(...at(x, -99)), context.lineTo(...at(x, 99));
  for (let y = -size.y - 1; y <= size.y + 1; y += 2) context.moveTo(...at(-99, y)), context.lineTo(...at(99, y));
  context.stroke();
  context.strokeStyle = theme().ring;
  context.beginPath();
  context.arc(...at(0, 0), 2 * scale, 0, 7);
  context.stroke();
  context.restore();
}

const radiusOf = (scale) => Math.max(scale * 0.55, 9);

function drawFighter(context, [x, y], scale, fighter, now) {
  const radius = radiusOf(scale);
  const colour = fighter.isMine ? MINE : COLOURS[fighter.id % COLOURS.length];
  context.fillStyle = "#0006";
  context.beginPath();
  context.ellipse(x, y + radius * 0.85, radius * 0.9, radius * 0.35, 0, 0, 7);
  context.fill();
  if (fighter.isMine) {
    context.strokeStyle = `${MINE}88`;
    context.lineWidth = 1.5;
    context.setLineDash([4, 6]);
    context.lineDashOffset = -now / 60;
    context.beginPath();
    context.arc(x, y, 2 * scale, 0, 7);
    context.stroke();
    context.setLineDash([]);
  }
  drawBall(context, [x, y], radius, colour);
  if (fighter.stance === "OnGuard") {
    context.strokeStyle = theme().shield;
    context.lineWidth = 3;
    context.beginPath();
    context.arc(x, y, radius + 4, -2.4, -0.75);
    context.stroke();
  }
  if (fighter.isKing) drawCrown(context, x, y - radius * 1.25, radius * 0.9);
}

function drawCrown(context, x, y, size) {
  context.fillStyle = "#ffd166";
  context.strokeStyle = "#7a5a12";
  context.lineWidth = 1.5;
  context.beginPath();
  const points = [[-0.6, 0.3], [-0.7, -0.4], [-0.3, 0], [0, -0.6], [0.3, 0], [0.7, -0.4], [0.6, 0.3]];
  points.forEach(([dx, dy], index) => context[index ? "lineTo" : "moveTo"](x + dx * size, y + dy * size));
  context.closePath();
  context.fill();
  context.stroke();
}

function drawBlow(context, [x, y], scale, { damage }, age) {
  context.globalAlpha = 1 - age;
  context.strokeStyle = theme().hurt;
  context.lineWidth = 3;
  context.beginPath();
  context.arc(x, y, scale * (0.6 + age * 0.8), 0, 7);
  context.stroke();
  context.font = "700 18px system-ui, sans-serif";
  context.textAlign = "center";
  context.fillStyle = theme().number;
  context.fillText(`-${damage}`, x, y - scale * (0.8 + age));
  context.globalAlpha = 1;
}
