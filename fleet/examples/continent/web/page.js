// The page of the continent: walkers in the colour of their zone, on a map with the border of the zones.
//
// `?server=HOST:PORT` watches by a relay: spectators have no walker.

import { Client } from "./syncvar.js";
import { Track } from "./track.js";

/** Half of the size of the continent, in metres. */
const [WIDTH, HEIGHT] = [100, 60];

/** Time for which a handover is shown, and silence of a post from which its zone has no process, in milliseconds. */
const FLASH = 800;
const SILENCE = 500;

const $ = (id) => document.getElementById(id);
const relay = new URLSearchParams(location.search).get("server");
const client = new Client(relay ? `http://${relay}` : location.origin, { transport: "websocket" });
const walkers = new Map();
/** Post of each zone, with the own time of its last sign of life. */
const posts = new Map();
const counts = { handovers: 0, despawns: 0 };
let mine;

client.on("state", (state, reason) => {
  $("status").textContent = state === "ready" ? (relay ? "spectator of the relay" : "player of the gateway") : (reason ?? state);
  for (const button of document.querySelectorAll("button")) button.disabled = state !== "ready" || Boolean(relay);
});
client.on("spawn", (object) => {
  const walker = object.get("Walker");
  if (!walker) return notePost(object);
  const track = new Track(1, client);
  const { x, y } = walker.fields.position;
  track.add(0, [x, y]);
  walkers.set(object.id, { walker, track, movedAt: -FLASH });
});
client.on("despawn", (object) => {
  if (mine === object) mine = undefined;
  if (walkers.delete(object.id) && client.state === "ready") counts.despawns++;
});
client.on("owner", (object) => {
  if (object.owned) mine = object;
});
client.on("Walker.position", ({ object, tick, value: { x, y } }) => walkers.get(object.id)?.track.add(tick, [x, y]));
client.on("Walker.zone", ({ object }) => {
  counts.handovers++;
  const walker = walkers.get(object.id);
  if (walker) walker.movedAt = performance.now();
});
client.on("Post.ticks", ({ object }) => notePost(object));

function notePost(object) {
  const { zone } = object.get("Post").fields;
  posts.set(zone, { post: object.get("Post"), at: performance.now() });
}

for (const zone of [1, 2]) {
  $(`zone${zone}`).querySelector("button").addEventListener("click", () => client.send("kill", { zone }));
}

const map = $("map");
let scale = 1;
map.addEventListener("pointerdown", (event) => {
  const box = map.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2];
  mine?.get("Walker").call("walk_to", { x: Math.fround(x / scale), y: Math.fround(-y / scale) });
});

/** Returns the colours of the page. */
function colours() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(["ink", "dim", "line", "west", "east", "panel"].map((name) => [name, style.getPropertyValue(`--${name}`)]));
}

function frame() {
  const ratio = devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = map;
  if (map.width !== Math.round(width * ratio) || map.height !== Math.round(height * ratio)) {
    map.width = Math.round(width * ratio);
    map.height = Math.round(height * ratio);
  }
  const context = map.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, width * ratio / 2, height * ratio / 2);
  context.clearRect(-width / 2, -height / 2, width, height);
  scale = Math.min(width / (2 * WIDTH + 8), height / (2 * HEIGHT + 8));
  draw(context, colours(), client.showView());
  requestAnimationFrame(frame);
}

function draw(context, { ink, dim, line, west, east, panel }, tick) {
  context.fillStyle = panel;
  context.fillRect(-WIDTH * scale, -HEIGHT * scale, 2 * WIDTH * scale, 2 * HEIGHT * scale);
  context.strokeStyle = line;
  context.lineWidth = 2;
  context.strokeRect(-WIDTH * scale, -HEIGHT * scale, 2 * WIDTH * scale, 2 * HEIGHT * scale);
  context.strokeStyle = dim;
  context.setLineDash([6, 6]);
  context.beginPath();
  context.moveTo(0, -HEIGHT * scale);
  context.lineTo(0, HEIGHT * scale);
  context.stroke();
  context.setLineDash([]);
  const now = performance.now();
  for (const { walker, track, movedAt } of walkers.values()) {
    const [x, y] = track.at(tick ?? 0) ?? [];
    if (x === undefined) continue;
    const isMine = walker === mine?.get("Walker");
    context.fillStyle = walker.fields.zone === 1 ? west : east;
    context.beginPath();
    context.arc(x * scale, -y * scale, isMine ? 8 : 5, 0, 7);
    context.fill();
    if (isMine || now - movedAt < FLASH) {
      context.strokeStyle = ink;
      context.lineWidth = isMine ? 3 : 1.5;
      context.beginPath();
      context.arc(x * scale, -y * scale, isMine ? 8 : 8 + ((now - movedAt) / FLASH) * 8, 0, 7);
      context.stroke();
    }
  }
}

setInterval(() => {
  for (const zone of [1, 2]) {
    const { post, at } = posts.get(zone) ?? {};
    const isSilent = !post || performance.now() - at > SILENCE;
    const count = [...walkers.values()].filter(({ walker }) => walker.fields.zone === zone).length;
    const state = isSilent ? "no process" : `process ${post.fields.processes}`;
    $(`zone${zone}`).classList.toggle("silent", isSilent);
    $(`zone${zone}`).querySelector("span").textContent = `${state}, ${count} walkers`;
  }
  $("numbers").textContent = `${walkers.size} walkers, ${counts.handovers} handovers, ${counts.despawns} disappeared`;
}, 200);
requestAnimationFrame(frame);

/** For tests. */
globalThis.game = { client, walkers, posts, counts, mine: () => mine };
