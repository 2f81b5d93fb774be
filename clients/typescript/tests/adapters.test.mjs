// The adapters of React and Vue, and the description of types, as the package has them: `dist`, which `npm run dist` makes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accepted, described, FakeSocket, message } from "./support.mjs";
import { sleep, turn } from "./time.mjs";

globalThis.WebSocket = FakeSocket;
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
const { Client } = await import("syncvar");
const { describe, describeBehaviour } = await import("syncvar/describe");
const react = await import("syncvar/react");
const vue = await import("syncvar/vue");
const { createElement } = await import("react");
const { act, create } = await import("react-test-renderer");
const { effectScope } = await import("vue");

const SCHEMA = `\
message chat = 49: Chat { text: String }
prefab door 5b882675757277b806e97060b8398901
  behaviour Door, channel 0
    class Door
      health: u8
      aim: Aim { x: f32 as Quantized<-1, 1, 100> }, read by the owner, written by the owner
      command push = CmdPush(force: u8)
      client_rpc slam = RpcSlam()
`;

async function connect(context) {
  const client = new Client("http://test.invalid", { transport: "websocket" });
  context.after(() => client.close());
  await turn();
  const socket = FakeSocket.last;
  await turn();
  const receive = (bytes) => socket.receive(0, Uint8Array.from(bytes));
  receive(described(SCHEMA));
  receive(accepted());
  receive([3, 1, ...message(12, [0]), ...message(23, [3, 0, 0, 100, 3, 0, 0, 50]), ...message(12, [1])]);
  await turn();
  assert.equal(client.objects.size, 2);
  /** Updates the first object. */
  const health = (value) => receive([3, 1, ...message(22, [2, 1, value])]);
  return { client, receive, health };
}

test("a component of React follows an object and its field", async (context) => {
  const { client, receive, health } = await connect(context);
  let drawn = 0;
  function Health({ id }) {
    drawn++;
    const door = react.useObject(client, id)?.get("Door");
    return String(react.useField(client, door, "health") ?? "gone");
  }
  let root;
  await act(async () => void (root = create(createElement(Health, { id: 1 }))));
  assert.equal(root.toJSON(), "100");
  await act(async () => health(99));
  assert.equal(root.toJSON(), "99");
  const before = drawn;
  // Another object.
  await act(async () => receive([3, 1, ...message(22, [10, 1, 7])]));
  assert.equal(drawn, before);
  await act(async () => receive([3, 1, ...message(1, [1])]));
  assert.equal(root.toJSON(), "gone");
  await act(async () => root.unmount());
  receive([3, 1, ...message(23, [3, 0, 0, 5])]);
  await sleep(10);
  assert.equal(drawn, before + 1);
});

test("references of Vue follow an object and its field, and end with their scope", async (context) => {
  const { client, receive, health } = await connect(context);
  const scope = effectScope();
  const { object, value } = scope.run(() => {
    const object = vue.useObject(client, 1);
    return { object, value: vue.useField(client, object.value.get("Door"), "health") };
  });
  assert.equal(value.value, 100);
  health(99);
  assert.equal(value.value, 99);
  scope.stop();
  health(98);
  assert.equal(value.value, 99);
  receive([3, 1, ...message(1, [1])]);
  assert.equal(object.value?.id, 1);
});

test("the types of a server are readable at run time", async (context) => {
  const { client } = await connect(context);
  const { prefabs, messages } = describe(client);
  assert.deepEqual(messages.map(({ name, type }) => ({ name, type })), [{ name: "chat", type: "Chat { text: String }" }]);
  const [{ name, behaviours }] = prefabs;
  assert.equal(name, "door");
  assert.deepEqual(behaviours[0].fields.map(({ schema, ...it }) => it), [
    { name: "health", type: "u8", readers: "all", writers: "server", isInitial: false },
    { name: "aim", type: "Aim { x: f32 as Quantized<-1, 1, 100> }", readers: "owner", writers: "owner", isInitial: false },
  ]);
  assert.deepEqual(behaviours[0].fields[0].schema, { kind: "named", name: "u8" });
  assert.deepEqual(behaviours[0].calls.map(({ name, kind, arguments: all }) => [name, kind, all.map((it) => `${it.name}: ${it.type}`)]), [
    ["push", "command", ["force: u8"]],
    ["slam", "client_rpc", []],
  ]);
  assert.deepEqual(describeBehaviour(client.objects.get(1).get("Door").schema), behaviours[0]);
});
