// The page of the duel: the own player is predicted by the rules of the server, all others are drawn between received places, and the server
// looks at the same places when a shot arrives.
//
// `?transport=websocket` or `?transport=webtransport` in the URL allows only this transport.

import { drawField } from "./drawing.js";
import { $, followState, log, showPing, showPlayers, stick } from "./panels.js";
import { hits, step } from "./rules.js";
import { Predictor } from "./prediction.js";
import { Client } from "./syncvar.js";
import { Track } from "./track.js";

/** Pauses between two shots and two rockets, in milliseconds: the server allows no more. */
const SHOT_PAUSE = 150;
const ROCKET_PAUSE = 700;

const name = localStorage.getItem("name") ?? `Guest ${1 + Math.floor(Math.random() * 99)}`;
const utf8 = new TextEncoder().encode(name);
const client = new Client(location.origin, {
  transport: new URLSearchParams(location.search).get("transport") ?? undefined,
  payload: Uint8Array.of(utf8.length, ...utf8),
});
const predictor = new Predictor(client);
const tracks = new Map();
const effects = { shots: [], numbers: [] };
const held = new Set();
/** Place of the pointer on the page, and whether it fires. */
let pointer;
let isFiring = false;
/** The own player and its prediction. */
let mine;
let prediction;
/** The field as drawn last. */
let drawn = { players: [], rockets: [] };
/** Its tick, the ticks from there to the server's time, the own time of its frame, and its points on the page. */
let shown;
let behind;
let shownAt;
let view;
const fired = { shot: 0, rocket: 0 };

// --- the server's side

followState(client);
client.on("spawn", (object) => {
  const moving = object.get("Player") ?? object.get("Rocket");
  const track = new Track(1, client);
  const { x, y } = moving.fields.position;
  track.add(0, [x, y]);
  tracks.set(object.id, track);
  // Its owner is told behind it.
  if (object.get("Badge")) queueMicrotask(() => object.owned || log(`${object.get("Badge").fields.name || "somebody"} is here`));
});
client.on("despawn", (object) => {
  tracks.delete(object.id);
  if (mine === object) mine = prediction = undefined;
});
client.on("owner", (object) => {
  if (!object.owned) return;
  mine = object;
  prediction = predictor.predict(object.get("Player"), step);
});
for (const moving of ["Player", "Rocket"]) {
  client.on(`${moving}.position`, ({ object, tick, value: { x, y } }) => tracks.get(object.id)?.add(tick, [x, y]));
}
client.on("Player.health", ({ object, value, previous }) => {
  if (value < previous) effects.numbers.push({ player: object.id, points: previous - value, at: performance.now() });
});
client.on("Player.deaths", ({ object }) => log(`${object.get("Badge").fields.name || "somebody"} has fallen`));
client.on("Badge.fired", ({ object }, ray) => {
  const from = drawn.players.find((it) => it.id === object.id);
  if (from && object !== mine) effects.shots.push({ from, ray, by: object.id, at: performance.now() });
});

// --- the player's side

$("me").value = name;
$("me").addEventListener("change", () => {
  localStorage.setItem("name", $("me").value.trim().slice(0, 16));
  // The name travels with the request to join.
  client.close("another name");
  location.reload();
});
addEventListener("keydown", (event) => {
  if (event.target === $("me")) return;
  if (event.code === "Space") event.preventDefault();
  held.add(event.code);
});
addEventListener("keyup", (event) => held.delete(event.code));
addEventListener("blur", () => {
  held.clear();
  isFiring = false;
});
addEventListener("pagehide", (event) => event.persisted || client.close("the page is closed"));

const field = $("field");
field.addEventListener("pointerdown", (event) => {
  $("me").blur();
  field.setPointerCapture(event.pointerId);
  pointer = { x: event.clientX, y: event.clientY };
  if (event.button === 2) launch();
  else isFiring = true;
});
field.addEventListener("pointermove", (event) => (pointer = { x: event.clientX, y: event.clientY }));
field.addEventListener("contextmenu", (event) => event.preventDefault());
for (const end of ["pointerup", "pointercancel"]) field.addEventListener(end, () => (isFiring = false));
$("rocket").addEventListener("pointerdown", launch);

/** Input of a tick: the direction of the keys, or of the stick. */
function input() {
  const is = (...codes) => (codes.some((code) => held.has(code)) ? 1 : 0);
  const x = is("KeyD", "ArrowRight") - is("KeyA", "ArrowLeft");
  const y = is("KeyW", "ArrowUp") - is("KeyS", "ArrowDown");
  return x || y ? { x, y } : stick;
}

/** Direction from the own player to the pointer: to the nearest other player before there is one. */
function aim() {
  const own = drawn.players.find((it) => it.isMine);
  const [other] = drawn.players.filter((it) => !it.isMine).sort((a, b) => Math.hypot(a.x - own?.x, a.y - own?.y) - Math.hypot(b.x - own?.x, b.y - own?.y));
  const to = pointer && view ? view.toField(pointer) : other;
  if (!own || !to) return undefined;
  const [x, y] = [to.x - own.x, to.y - own.y];
  const length = Math.hypot(x, y);
  return length < 0.1 ? undefined : { x: Math.fround(x / length), y: Math.fround(y / length) };
}

/** Fires a shot from the drawn place at the drawn places of the others. */
function shoot(now) {
  const [own, ray] = [drawn.players.find((it) => it.isMine), aim()];
  if (!own || !ray || now - fired.shot < SHOT_PAUSE) return;
  fired.shot = now;
  const round = ({ x, y }) => ({ x: Math.fround(x), y: Math.fround(y) });
  const at = round(own);
  const isHit = drawn.players.some((it) => !it.isMine && hits(at, ray, round(it)));
  mine.get("Player").call("fire", at, ray, isHit);
  effects.shots.push({ from: at, ray, by: own.id, at: now });
}

function launch() {
  const [now, ray] = [performance.now(), aim()];
  if (client.state !== "ready" || !mine || !ray || now - fired.rocket < ROCKET_PAUSE) return;
  fired.rocket = now;
  mine.get("Player").call("launch", ray);
}

// --- the drawing

/** The field at the view of a frame, the own player at its prediction. */
function scene(tick) {
  const players = [];
  const rockets = [];
  for (const object of client.objects.values()) {
    const [x, y] = tracks.get(object.id)?.at(tick) ?? [];
    if (x === undefined) continue;
    if (object.get("Rocket")) rockets.push({ x, y });
    else {
      const { health, deaths, position } = object.get("Player").fields;
      const player = { id: object.id, name: object.get("Badge").fields.name, health, deaths, x, y, isMine: object === mine };
      players.push(object === mine ? { ...player, ...prediction.at("position"), onServer: position } : player);
    }
  }
  return { players, rockets };
}

function frame() {
  const now = performance.now();
  shown = client.showView();
  shownAt = now;
  behind = shown === undefined ? undefined : client.tick() - shown;
  if (client.state === "ready" && mine) predictor.setInput(input());
  if (shown !== undefined) drawn = scene(shown);
  view = drawField(field, { ...drawn, aim: aim() }, effects, now);
  if (client.state === "ready" && mine && isFiring) shoot(now);
  if (held.has("Space")) launch();
  requestAnimationFrame(frame);
}

/** Texts of a player in the list. */
function texts({ name, health, deaths }) {
  return [name || "somebody", innerWidth < 760 ? health : `${health} · fell ${deaths}`];
}

setInterval(() => {
  showPlayers(drawn.players, texts);
  showPing(client);
  const { inputTick } = predictor;
  const tick = client.tick();
  $("tick").textContent = tick === undefined ? "" : Math.floor(tick);
  $("ahead").textContent = tick === undefined || inputTick === undefined ? "" : `${Math.max(inputTick - Math.floor(tick), 0)} ticks`;
  $("behind").textContent = behind === undefined ? "" : `${behind.toFixed(1)} ticks`;
  $("corrections").textContent = prediction?.corrections ?? "";
}, 250);
requestAnimationFrame(frame);

/** For tests. */
globalThis.game = {
  client,
  own: () => mine && { id: mine.id, position: prediction.state.position, corrections: prediction.corrections },
  drawn: () => drawn,
  toPage: (point) => view.toPage(point),
  /** Own time of the last frame in milliseconds, and the age of the drawn tick. */
  frame: () => ({ at: shownAt, behind }),
};
