// Parts of a drawing that the pages share.

/** Colours of the players: those of Okabe and Ito, which differ for each kind of sight. The own player has none of them. */
export const COLOURS = ["#56b4e9", "#e69f00", "#cc79a7", "#f0e442", "#0072b2", "#d55e00"];
export const MINE = "#009e73";

/** Colours of a drawing, on a dark and on a light page. */
export const THEMES = {
  dark: { ink: "#e8ecf4", mine: "#b8f5df", outline: "#0b101c", centre: "#24314f", floor: "#131b2d", edge: "#3a4b70", grid: "#ffffff0d", ring: "#ffffff1f", health: "#5ee2b5", hurt: "#ff6b6b", shield: "#cfe3ff", number: "#ff9c9c", shot: "#ffd166", bar: "#0009", graph: "#0008" },
  light: { ink: "#1a2233", mine: "#00513b", outline: "#ffffff", centre: "#ffffff", floor: "#dfe6f2", edge: "#8fa0bf", grid: "#0000000f", ring: "#00000026", health: "#006b4a", hurt: "#c02525", shield: "#24508f", number: "#b01919", shot: "#8a5a00", bar: "#0004", graph: "#0000001a" },
};

const isLight = globalThis.matchMedia?.("(prefers-color-scheme: light)");

/** Returns the colours of the page. */
export const theme = () => (isLight?.matches ? THEMES.light : THEMES.dark);

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

/** Space between a panel and the field, and of two lines of the log, in pixels. */
const GAP = 8;
const LOG = 48;

/** Returns the heights that the panels take above and below a field, on a page of this height. */
export function panels(height) {
  const boxes = (...ids) => ids.map((id) => document.getElementById(id)?.getBoundingClientRect()).filter((box) => box?.height);
  const above = boxes("top", "players").map(({ bottom }) => bottom);
  const below = boxes("pad", "actions").map(({ top }) => height - top);
  return [Math.max(0, ...above) + GAP, Math.max(0, ...below) + LOG];
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

/** Draws the health and the name of a player. Names that are in `taken`, as boxes, are avoided: a name stands below them. */
export function drawLabel(context, [x, y], radius, { name, health, isMine }, taken) {
  const colours = theme();
  const [wide, top] = [Math.max(radius * 2.4, 44), y + radius + 7];
  const share = Math.min(Math.max(health, 0), 100) / 100;
  context.fillStyle = colours.bar;
  context.beginPath();
  context.roundRect(x - wide / 2 - 1, top - 1, wide + 2, 7, 3.5);
  context.fill();
  context.fillStyle = health < 40 ? colours.hurt : colours.health;
  context.beginPath();
  context.roundRect(x - wide / 2, top, wide * share, 5, 2.5);
  context.fill();
  context.font = `${isMine ? 700 : 500} 13px system-ui, sans-serif`;
  context.textAlign = "center";
  const text = name || "somebody";
  const box = placed(x, top + 20, context.measureText(text).width / 2 + 3, taken);
  context.fillStyle = isMine ? colours.mine : colours.ink;
  context.strokeStyle = colours.outline;
  context.lineWidth = 3;
  context.strokeText(text, x, box.y);
  context.fillText(text, x, box.y);
}

/** Height of a line of a name. */
const LINE = 15;

/** Returns the box of a name below all boxes that it would cover, and takes it. */
export function placed(x, y, half, taken) {
  const box = { x, y, half };
  const beside = taken.filter((it) => Math.abs(it.x - x) < it.half + half).sort((one, two) => one.y - two.y);
  // Each box once, from above: a rounded sum may still lie within LINE of the box that it was made from.
  for (const other of beside) if (Math.abs(other.y - box.y) < LINE) box.y = other.y + LINE;
  taken.push(box);
  return box;
}

/** Draws the last pings; a gap where there was no connection. */
export function drawGraph(canvas, pings) {
  const { context, width, height } = prepare(canvas);
  const most = Math.max(60, ...pings.filter((ping) => ping !== undefined));
  context.fillStyle = theme().graph;
  context.beginPath();
  context.roundRect(0, 0, width, height, 5);
  context.fill();
  context.strokeStyle = theme().health;
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
