// The panels that the pages share: the state of the connection, the players, the messages and the stick.

import { drawGraph } from "./canvas.js";

export const $ = (id) => document.getElementById(id);

/** Direction of the stick. */
export const stick = { x: 0, y: 0 };

const pings = [];

/** Shows a message for some seconds. */
export function log(text) {
  const line = document.createElement("p");
  line.textContent = text;
  $("log").append(line);
  while ($("log").childElementCount > 5) $("log").firstElementChild.remove();
  setTimeout(() => line.remove(), 6000);
}

/** Texts of the states. */
const STATES = { connecting: "connecting", waiting: "no server: trying again", closed: "ended" };

/** Shows the state of a client, whenever it changes. The buttons work while it is ready. */
export function followState(client) {
  let last;
  client.on("state", (state, reason) => {
    $("light").className = state;
    document.body.className = state;
    // Between two attempts the page stays at "no server".
    if (state !== "connecting" || !last) $("transport").textContent = STATES[state] ?? { webtransport: "WebTransport", websocket: "WebSocket" }[client.transport];
    for (const button of document.querySelectorAll("button")) button.disabled = state !== "ready";
    if (reason && reason !== last) log(reason);
    last = state === "ready" ? undefined : (reason || last);
  });
}

/** Shows the present ping of a client, and the last 60. */
export function showPing({ ping, state }) {
  $("ping").textContent = ping === undefined ? "" : `${Math.round(ping)} ms`;
  pings.push(state === "ready" ? ping : undefined);
  if (pings.length > 60) pings.shift();
  drawGraph($("graph"), pings);
}

/** Shows the players by their ids. `texts` returns the two texts of a player. */
export function showPlayers(players, texts) {
  const list = $("list");
  while (list.childElementCount > players.length) list.lastElementChild.remove();
  players.toSorted((a, b) => a.id - b.id).forEach((player, index) => {
    const line = list.children[index] ?? list.appendChild(document.createElement("li"));
    if (!line.firstChild) line.innerHTML = '<span class="name"><b></b><span></span></span><div class="bar"><i></i></div>';
    line.className = player.isMine ? "mine" : "";
    [...line.firstChild.children].forEach((element, at) => (element.textContent = texts(player)[at]));
    const bar = line.querySelector("i");
    bar.style.width = `${Math.max(player.health, 0)}%`;
    bar.className = player.health < 40 ? "low" : "";
  });
}

const pad = $("pad");
pad.addEventListener("pointerdown", (event) => pad.setPointerCapture(event.pointerId));
pad.addEventListener("pointermove", (event) => {
  const { left, top, width } = pad.getBoundingClientRect();
  const [x, y] = [(event.clientX - left) / (width / 2) - 1, (event.clientY - top) / (width / 2) - 1];
  const length = Math.max(Math.hypot(x, y), 1);
  moveStick(x / length, -y / length);
});
for (const end of ["pointerup", "pointercancel"]) pad.addEventListener(end, () => moveStick(0, 0));

function moveStick(x, y) {
  Object.assign(stick, { x, y });
  pad.firstElementChild.style.transform = `translate(${x * 40}px, ${-y * 40}px)`;
}
