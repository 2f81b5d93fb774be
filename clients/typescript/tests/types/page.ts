// A page of the game in `game.syncvar`, for the compiler alone: each use of the generated types, and each mistake that they find.

import { Client, type Change } from "syncvar";
import { Predictor } from "syncvar/prediction";
import { build, type Card, type Fighter, type Gait, type Vector3 } from "./game.js";

const client = new Client("http://127.0.0.1:7777", { build: { ...build, name: "page 7" } });

const predictor = new Predictor(client);

client.on("state", (state, reason) => console.log(state === "ready", reason.length));
client.on("resolved", (differences) => console.log(differences.map(({ place, kind, text }) => `${place} ${kind} ${text}`)));
client.on("Fighter.health", ({ value, previous, behaviour }) => console.log(value * 2, previous ?? 0, behaviour.fields.gait));
client.on("Fighter.position", (change: Change<Vector3>) => console.log(change.value.x, change.tick));
client.on("Fighter.burst", (fighter, card) => console.log(fighter.fields.effect, card.rank));
client.on("message", (name, value) => console.log(name === "a chat" && value.text));
client.on("spawn", (object) => console.log(object.get("Chest")?.fields.open));
// @ts-expect-error: no such behaviour
client.on("Knight.health", () => {});
// @ts-expect-error: no such field
client.on("Fighter.mana", () => {});

client.send("a chat", { text: "hello" });
// @ts-expect-error: no text
client.send("a chat", { text: 1 });
// @ts-expect-error: no such message
client.send("shout", { text: "hello" });
predictor.setInput({ x: 1, jump: false });
// @ts-expect-error: a member is missing
predictor.setInput({ x: 1 });

for (const object of client.objects.values()) {
  const fighter = object.get("Fighter");
  if (!fighter) continue;
  const { id, cards, scores, gold, class: kind } = fighter.fields;
  const values: [bigint, readonly Card[] | undefined, ReadonlyMap<string, readonly [Gait | null, Gait | null]>, number | undefined, object] = [id, cards, scores, gold, kind];
  console.log(values);
  fighter.set("gait", "Walk");
  fighter.set("aim", null);
  // @ts-expect-error: no variant
  fighter.set("gait", "Fly");
  // @ts-expect-error: the owner does not write it
  fighter.set("health", 1);
  // @ts-expect-error: a collection of the server is not changed in its place
  fighter.fields.cards?.push({ suit: 1, "odd name": [1, new Set()] });
  // @ts-expect-error: a value of the server is not changed in its place
  fighter.fields.position.x = 1;
  // @ts-expect-error: a field is not assigned
  fighter.fields.health = 1;
  fighter.call("fire", 3, 5);
  fighter.call("wait");
  // @ts-expect-error: an argument is missing
  fighter.call("fire", 3);
  // @ts-expect-error: a call of the server
  fighter.call("reload", 3);
  const prediction = predictor.predict(fighter, (state, input) => {
    state.position.x += input.x;
    if (input.jump && state.effect !== "None" && typeof state.effect === "object" && "Burn" in state.effect) state.health -= state.effect.Burn.damage;
  });
  console.log(prediction.state.health, prediction.at("position").x);
  const shield = object.get("Shield");
  if (shield) {
    predictor.predictGroup([fighter, shield], ([a, b], [input]) => {
      a.health -= (b.strength ?? 0) * (input?.x ?? 0);
      // @ts-expect-error: the input of another client is unknown
      input.x;
    });
    predictor.anticipate(shield, (state) => (state.present = false));
  }
  predictor.predictSpawn("Chest", { open: true, odd: undefined, behind: 1 }, (state) => (state.open = false), (chest) => console.log(chest?.fields.open));
  // @ts-expect-error: a field is missing
  predictor.predictSpawn("Chest", { open: true }, () => {});
  fighter.callUnreliably("fire", 3, 5);
  client.sendOn(1, "a chat", { text: "hello" });
  console.log(object.get("Shield")?.fields.strength?.toFixed(), object.get("Shield")?.fields.present.valueOf());
  // @ts-expect-error: absent in an absent shield
  object.get("Shield")?.fields.strength.toFixed();
  // @ts-expect-error: of a type that the client cannot read
  object.get("Chest")?.fields.odd.valueOf();
}

/** Fields of a behaviour by its name. */
export const health = (fields: Fighter["fields"]): number => fields.health;

// A page without types has the names and types of its server.
const untyped = new Client("http://127.0.0.1:7777");
untyped.on("Any.thing", (behaviour, value) => console.log(behaviour.fields.thing, value));
untyped.on("message", (name: string, value) => console.log(name, value.text));
untyped.send("anything", 1);
untyped.objects.get(1)?.get("Any")?.call("thing", 1, "two");
untyped.objects.get(1)?.get("Any")?.set("thing", 1);
console.log(untyped.objects.get(1)?.get("Any")?.fields.thing.x);
