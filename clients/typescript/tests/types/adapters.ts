// The adapters and the description of types with generated types, for the compiler alone.

import { Client } from "syncvar";
import { describe } from "syncvar/describe";
import { useField, useObject } from "syncvar/react";
import * as vue from "syncvar/vue";
import { build } from "./game.js";

const client = new Client("http://127.0.0.1:7777", { build });

export function Health(): number {
  const fighter = useObject(client, 1)?.get("Fighter");
  // @ts-expect-error: no such field
  useField(client, fighter, "helth");
  const effect = useField(client, fighter, "effect");
  console.log(typeof effect === "object" && "Burn" in effect && effect.Burn.seconds);
  return useField(client, fighter, "health") ?? 0;
}

export function health(): number | undefined {
  const fighter = vue.useObject(client, 1).value?.get("Fighter");
  return fighter && vue.useField(client, fighter, "health").value;
}

console.log(describe(client)?.prefabs[0].behaviours[0].fields.map(({ name, type, writers }) => `${name}: ${type}, ${writers}`));
