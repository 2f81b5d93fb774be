// Replays the sessions that a test in Rust has recorded: `tests/wire/typescript.rs`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../syncvar.js";
import { bytes, FakeSocket, plain, takeMessages, vectors } from "./support.mjs";
import { sleep, turn } from "./time.mjs";

globalThis.WebSocket = FakeSocket;

function objects(client) {
  const all = [...client.objects.values()].sort((a, b) => a.id - b.id);
  return all.map((object) => ({
    id: object.id,
    owned: object.owned,
    behaviours: object.behaviours.map((behaviour) => plain(behaviour.fields)),
  }));
}

function act(client, action) {
  const behaviour = (id, name) => client.objects.get(id).get(name);
  if (action.write) {
    const [id, name, field, value] = action.write;
    behaviour(id, name).set(field, value);
  } else if (action.call) {
    const [id, name, call, ...values] = action.call;
    behaviour(id, name).call(call, ...values);
  } else if (action.send) client.send(...action.send);
  else {
    const [all] = client.objects.get(action.rewrite).behaviours;
    all.schema.fields.forEach((_, at) => all.dirty.add(at));
    all.set("flag", false);
    all.set("flag", true);
  }
}

for (const [name, steps] of Object.entries(vectors)) {
  test(`session: ${name}`, async (context) => {
    const client = new Client("http://test.invalid", { transport: "websocket" });
    context.after(() => client.close());
    const heard = [];
    const states = [];
    client.on("state", (state, reason) => states.push(`${state} ${reason}`));
    client.on("message", (...values) => heard.push(["message", ...values]));
    for (const call of ["Tank.reload", "Tank.burst", "Tank.explode"]) client.on(call, (_, ...values) => heard.push([call, ...values]));
    await turn();
    const socket = FakeSocket.last;
    await turn();
    let isConnected = false;
    for (const [index, step] of steps.entries()) {
      const where = `step ${index} of ${name} (${states.at(-1)})`;
      if (step.server) {
        for (const [channel, packet] of step.server) socket.receive(channel, bytes(packet));
        await turn();
      } else if (step.client) {
        let found = "";
        for (let left = 50; left > 0 && !found; left--) {
          found = takeMessages(socket, isConnected).join("");
          if (!found) await sleep(10);
        }
        assert.equal(found, step.client, where);
        // The Connect with the hash of the server is the last message without a header.
        if (/^1400200007(?!0000000000000000)/.test(step.client)) isConnected = true;
      } else if (step.objects) assert.deepEqual(objects(client), step.objects, where);
      else if (step.hears) assert.deepEqual(plain(heard.shift()), step.hears, where);
      else if (step.act) act(client, step.act);
    }
    assert.deepEqual(heard, []);
  });
}
