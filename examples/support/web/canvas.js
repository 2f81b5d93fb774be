// Parts of a drawing that the pages share.

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
