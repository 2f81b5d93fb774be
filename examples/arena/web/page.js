// The page of the arena: the objects of the server on a canvas, and the commands of one player.
//
// `?transport=websocket` or `?transport=webtransport` in the URL allows only this transport.

import { Client } from "./syncvar.js";
import { Track } from "./track.js";
import { drawArena } from "./drawing.js";
import { $, followState, log, showPing, showPlayers, stick } from "./panels.js";

/** Ticks of the past that is drawn: two updates of a body, and the jitter. */
const DELAY = 5;

/** Half of the size of the arena, and the reach of a blow, in metres. */
const SIZE = { x: 12, y: 7 };
const REACH = 2;

const client = new Client(location.origin, { transport: new URLSearchParams(location.search).get("transport") ?? undefined });
const tracks = new Map();
const blows = [];
const keys = new Set();
let pointer;
let mine;
/** Tick of the server at the last frame. */
let last = 0;

// --- the server's side

followState(client);
client.on("ready", () => {
  mine = [...client.objects.values()].find((object) => object.owned && object.get("Fighter"));
});
client.on("spawn", (object) => {
  const body = object.get("Body");
  if (!body) return;
  tracks.set(object.id, new Track());
  sample(object.id, client.tick() ?? 0, body.fields.position);
});
client.on("despawn", (object) => {
  tracks.delete(object.id);
  if (mine === object) mine = undefined;
});
client.on("owner", (object) => {
  if (!object.get("Fighter") || !object.owned) return;
  mine = object;
  introduce();
});
client.on("Body.position", ({ object, tick, value }) => sample(object.id, tick, value));
client.on("Fighter.struck", (fighter, by, damage) => {
  blows.push({ object: fighter.object.id, damage, at: performance.now() });
  log(`${by || "somebody"} strikes ${fighter.fields.name || "somebody"} for ${damage}`);
});
client.on("Fighter.fallen", (fighter, by) => log(`${fighter.fields.name || "somebody"} has fallen to ${by}`));
client.on("Fighter.tell", (_, text) => log(text));
client.on("Crown.motto", ({ value }) => value && log(`the crown says "${value}"`));

function sample(id, tick, { x, y }) {
  tracks.get(id)?.add(tick, [x, y]);
}

// --- the player's side

const arena = $("arena");

const name = $("name");
name.value = localStorage.getItem("name") ?? `Guest ${1 + Math.floor(Math.random() * 99)}`;
name.addEventListener("change", introduce);

function introduce() {
  localStorage.setItem("name", name.value);
  mine?.get("Fighter").call("introduce", name.value.slice(0, 16));
}

/** The nearest other fighter, and its distance. */
function nearest() {
  const here = mine?.get("Body").fields.position;
  const others = [...client.objects.values()].filter((object) => object !== mine && object.get("Body"));
  const all = others.map((object) => {
    const there = object.get("Body").fields.position;
    return { object, distance: Math.hypot(there.x - here.x, there.y - here.y) };
  });
  return all.sort((a, b) => a.distance - b.distance)[0];
}

const ACTIONS = {
  strike() {
    const target = nearest();
    if (target?.distance <= REACH) mine.get("Fighter").call("strike", target.object.id);
    else log("nobody is in reach");
  },
  use: () => mine.get("Fighter").call("use_item"),
  guard() {
    const fighter = mine.get("Fighter");
    fighter.set("stance", fighter.fields.stance === "Open" ? "OnGuard" : "Open");
  },
  crown() {
    const crown = [...client.objects.values()].find((object) => object.get("Crown"));
    crown?.get("Crown").call("take", mine.id);
  },
};

// The goal has been read.
addEventListener("keydown", () => ($("goal").open = false), { once: true });
arena.addEventListener("pointerdown", () => ($("goal").open = false), { once: true });

function act(action) {
  if (client.state === "ready" && mine) ACTIONS[action]();
}

for (const button of document.querySelectorAll("button")) {
  button.addEventListener("click", () => act(button.dataset.act));
}
const KEYS = { Space: "strike", KeyE: "use", KeyQ: "guard", KeyC: "crown" };
addEventListener("keydown", (event) => {
  if (event.target === name) return;
  if (event.code === "Space") event.preventDefault();
  keys.add(event.code);
  if (KEYS[event.code] && !event.repeat) act(KEYS[event.code]);
});
addEventListener("keyup", (event) => keys.delete(event.code));
addEventListener("blur", () => keys.clear());
addEventListener("pagehide", (event) => event.persisted || client.close("the page is closed"));

arena.addEventListener("pointerdown", (event) => {
  name.blur();
  arena.setPointerCapture(event.pointerId);
  pointer = { x: event.clientX, y: event.clientY };
});
arena.addEventListener("pointermove", (event) => pointer && (pointer = { x: event.clientX, y: event.clientY }));
for (const end of ["pointerup", "pointercancel"]) arena.addEventListener(end, () => (pointer = undefined));

/** Direction of the keys, the pointer on the arena or the stick. */
function heading(view) {
  const held = (...codes) => (codes.some((code) => keys.has(code)) ? 1 : 0);
  const x = held("KeyD", "ArrowRight") - held("KeyA", "ArrowLeft");
  const y = held("KeyW", "ArrowUp") - held("KeyS", "ArrowDown");
  if (x || y) return { x: x / Math.hypot(x, y), y: y / Math.hypot(x, y) };
  const here = mine?.get("Body").fields.position;
  if (!pointer || !here) return stick;
  const there = view.toArena(pointer);
  const [dx, dy] = [there.x - here.x, there.y - here.y];
  const length = Math.hypot(dx, dy);
  return length < 0.3 ? { x: 0, y: 0 } : { x: dx / length, y: dy / length };
}

// --- the drawing

/** Fighters at the drawn tick, and the wearer of the crown. */
function scene() {
  // Without a connection the time stands still.
  last = client.tick() ?? last;
  const tick = last - DELAY;
  const objects = [...client.objects.values()];
  const crown = objects.find((object) => object.get("Crown"))?.get("Crown").fields;
  const fighters = objects.flatMap((object) => {
    const place = tracks.get(object.id)?.at(tick);
    const { fields } = object.get("Fighter") ?? {};
    return place && fields ? [{ id: object.id, x: place[0], y: place[1], ...fields, isMine: object === mine, isKing: crown?.wearer === object.id }] : [];
  });
  return { fighters, crown };
}

function showFighters({ fighters }) {
  showPlayers(fighters, (fighter) => [`${fighter.isKing ? "♛ " : ""}${fighter.name || "somebody"}`, fighter.health]);
  const pack = mine?.get("Fighter").fields.pack ?? [];
  $("pack").replaceChildren(...pack.map((item) => Object.assign(document.createElement("i"), { className: item, title: item })));
  document.querySelector("[data-act=guard]").classList.toggle("on", mine?.get("Fighter").fields.stance === "OnGuard");
}

function frame() {
  const now = performance.now();
  const drawn = scene();
  while (blows.length && now - blows[0].at > 900) blows.shift();
  const view = drawArena(arena, SIZE, drawn, blows, now);
  if (client.state === "ready" && mine) mine.get("Body").set("heading", heading(view));
  requestAnimationFrame(frame);
}

setInterval(() => {
  showFighters(scene());
  showPing(client);
}, 250);
requestAnimationFrame(frame);

/** For tests: the objects of this page in the form of the server's `/state.json`. */
globalThis.game = {
  client,
  objects: () =>
    [...client.objects.values()]
      .sort((a, b) => a.id - b.id)
      .map((object) => {
        const { name: called, health, stance, buffs } = object.get("Fighter")?.fields ?? {};
        const { wearer, motto } = object.get("Crown")?.fields ?? {};
        return object.get("Crown") ? { id: object.id, wearer, motto } : { id: object.id, name: called, health, stance, buffs, position: object.get("Body").fields.position };
      }),
};
