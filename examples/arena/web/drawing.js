// The drawing of the arena and of the ping graph. The duel uses its parts.

export const COLOURS = ["#6ea8fe", "#f78fb3", "#c56cf0", "#ffb142", "#7bed9f", "#70a1ff", "#ff9f7f", "#a29bfe"];

/** Fits a canvas to its element. Returns its context, in pixels of the page, and its size. */
export function prepare(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/** Draws the arena. Returns the view, which turns points of the page into those of the arena. */
export function drawArena(canvas, size, { fighters, crown }, blows, now) {
  const { context, width, height } = prepare(canvas);
  // The panels take a part of the page: on a wide screen beside the arena, on a narrow one above and below.
  const [beside, above, below] = width < 760 ? [0, 180, 180] : [230, 64, 92];
  const scale = Math.min((width - beside) / (2 * size.x + 2), (height - above - below) / (2 * size.y + 1.5));
  const middle = { x: (width - beside) / 2, y: above + (height - above - below) / 2 };
  const at = (x, y) => [middle.x + x * scale, middle.y - y * scale];
  drawFloor(context, at, size, scale);
  if (crown && !crown.wearer) drawCrown(context, ...at(0, 0), scale * 0.9);
  for (const fighter of [...fighters].sort((a, b) => b.y - a.y)) drawFighter(context, at(fighter.x, fighter.y), scale, fighter, now);
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
  light.addColorStop(0, "#24314f");
  light.addColorStop(1, "#131b2d");
  context.fillStyle = light;
  context.strokeStyle = "#3a4b70";
  context.lineWidth = 2;
  context.beginPath();
  context.roundRect(left, top, wide, high, scale * 0.8);
  context.fill();
  context.stroke();
  context.save();
  context.clip();
  context.strokeStyle = "#ffffff0d";
  context.lineWidth = 1;
  context.beginPath();
  for (let x = -size.x; x <= size.x; x += 2) context.moveTo(...at(x, -99)), context.lineTo(...at(x, 99));
  for (let y = -size.y - 1; y <= size.y + 1; y += 2) context.moveTo(...at(-99, y)), context.lineTo(...at(99, y));
  context.stroke();
  context.strokeStyle = "#ffffff1f";
  context.beginPath();
  context.arc(...at(0, 0), 2 * scale, 0, 7);
  context.stroke();
  context.restore();
}

function drawFighter(context, [x, y], scale, fighter, now) {
  const radius = Math.max(scale * 0.55, 9);
  const colour = fighter.isMine ? "#5ee2b5" : COLOURS[fighter.id % COLOURS.length];
  context.fillStyle = "#0006";
  context.beginPath();
  context.ellipse(x, y + radius * 0.85, radius * 0.9, radius * 0.35, 0, 0, 7);
  context.fill();
  if (fighter.isMine) {
    context.strokeStyle = "#5ee2b533";
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
    context.strokeStyle = "#cfe3ff";
    context.lineWidth = 3;
    context.beginPath();
    context.arc(x, y, radius + 4, -2.4, -0.75);
    context.stroke();
  }
  if (fighter.isKing) drawCrown(context, x, y - radius * 1.25, radius * 0.9);
  drawLabel(context, x, y, radius, fighter);
}

export function drawBall(context, [x, y], radius, colour) {
  const ball = context.createRadialGradient(x - radius * 0.35, y - radius * 0.4, radius * 0.1, x, y, radius);
  ball.addColorStop(0, "#fff");
  ball.addColorStop(0.25, colour);
  ball.addColorStop(1, `color-mix(in srgb, ${colour} 55%, #000)`);
  context.fillStyle = ball;
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.fill();
}

export function drawLabel(context, x, y, radius, { name, health, isMine }) {
  const [wide, top] = [Math.max(radius * 2.4, 44), y + radius + 7];
  const share = Math.min(Math.max(health, 0), 100) / 100;
  context.fillStyle = "#0009";
  context.beginPath();
  context.roundRect(x - wide / 2 - 1, top - 1, wide + 2, 7, 3.5);
  context.fill();
  context.fillStyle = health < 40 ? "#ff6b6b" : "#5ee2b5";
  context.beginPath();
  context.roundRect(x - wide / 2, top, wide * share, 5, 2.5);
  context.fill();
  context.font = `${isMine ? 700 : 500} 13px system-ui, sans-serif`;
  context.textAlign = "center";
  context.fillStyle = isMine ? "#b8f5df" : "#e8ecf4";
  context.strokeStyle = "#0b101ccc";
  context.lineWidth = 3;
  context.strokeText(name || "somebody", x, top + 20);
  context.fillText(name || "somebody", x, top + 20);
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
  context.strokeStyle = "#ff6b6b";
  context.lineWidth = 3;
  context.beginPath();
  context.arc(x, y, scale * (0.6 + age * 0.8), 0, 7);
  context.stroke();
  context.font = "700 18px system-ui, sans-serif";
  context.textAlign = "center";
  context.fillStyle = "#ff9c9c";
  context.fillText(`-${damage}`, x, y - scale * (0.8 + age));
  context.globalAlpha = 1;
}

/** Draws the last pings; a gap where there was no connection. */
export function drawGraph(canvas, pings) {
  const { context, width, height } = prepare(canvas);
  const most = Math.max(60, ...pings.filter((ping) => ping !== undefined));
  context.fillStyle = "#0008";
  context.beginPath();
  context.roundRect(0, 0, width, height, 5);
  context.fill();
  context.strokeStyle = "#5ee2b5";
  context.lineWidth = 1.5;
  context.lineJoin = "round";
  context.beginPath();
  let isOpen = false;
  pings.forEach((ping, index) => {
    const [x, y] = [3 + ((width - 6) * index) / 59, height - 3 - ((ping ?? 0) / most) * (height - 6)];
    if (ping !== undefined) context[isOpen ? "lineTo" : "moveTo"](x, y);
    isOpen = ping !== undefined;
  });
  context.stroke();
}
