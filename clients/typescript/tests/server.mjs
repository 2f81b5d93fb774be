// A server written by hand: 30 ticks a second, by default one object of the prefab `player`.

import assert from "node:assert/strict";
import { Predictor } from "../prediction.js";
import { Client } from "../syncvar.js";
import { accepted, bytes, described, FakeSocket, FakeTransport, hex, message, takeMessages } from "./support.mjs";
import { sleep, turn } from "./time.mjs";

export const RATE = 30;
export const u16 = (value) => [value & 255, value >> 8];
export const f32 = (value) => [...new Uint8Array(Float32Array.of(value).buffer)];
/** Packed integer of 5 or 8 more bytes. */
const packed = (value, length = 8) => {
  const out = Buffer.alloc(8);
  out.writeBigUInt64LE(BigInt(value));
  return [247 + length, ...out.subarray(0, length)];
};
const SCHEMA = `\
message input = 48: Move { x: f32, jump: bool }
prefab player 07070707070707070707070707070707
  behaviour Player, channel 0
    class Player
      x: f32
      aim: f32, written by the owner
`;

/** Server behind a socket. Its tick 1 is 300 of the network time. */
export class Server {
  tick = 0;
  x = 0;
  /** Own time of the network time 0. */
  start = performance.now() - 300_000 / RATE;

  constructor(socket) {
    this.socket = socket;
  }

  static async begin(context, transport = "websocket", schema = SCHEMA, spawn = message(23, [7, 2, 0, ...f32(0), ...f32(0)])) {
    Object.assign(globalThis, { WebSocket: FakeSocket, WebTransport: FakeTransport, fetch: async () => ({ json: async () => [] }) });
    const client = new Client("http://test.invalid", { transport });
    const predictor = new Predictor(client);
    context.after(() => client.close());
    await turn();
    const server = new Server(transport === "websocket" ? FakeSocket.last : FakeTransport.last);
    await turn();
    server.send(described(schema));
    server.send(accepted());
    await turn();
    const owner = message(15, [1, 1]);
    server.update([...message(12, [0]), ...spawn, ...owner, ...message(12, [1])]);
    await sleep(50);
    // The packets of the handshake have no header.
    server.socket.sent.length = 0;
    return { client, predictor, server, player: client.objects.get(1).behaviours[0] };
  }

  send(messages) {
    const packet = Uint8Array.from(messages);
    if (this.socket instanceof FakeSocket) this.socket.receive(0, packet);
    else this.socket.receive([[0, packet]]);
  }

  /** Sends an update of the next tick, the last packet of it. */
  update(messages = []) {
    this.tick++;
    this.send([0x03, 1, ...messages]);
  }

  /** Sends the value of the object at the next tick. */
  moves(x) {
    this.update(message(22, [5, 1, ...f32(x)]));
  }

  get now() {
    return performance.now() - this.start;
  }

  /** Answers a ping that was sent now. */
  pong() {
    const micros = Math.round(performance.now() * 1000);
    this.update(message(28, [...packed(micros), ...packed(Math.round(this.now * 1000)), RATE]));
  }

  /** Takes the Inputs: the newest tick, and the payload behind it. */
  inputs() {
    const all = takeMessages(this.socket, true).filter((it) => it.slice(4, 8) === "2700");
    return all.map((it) => {
      const payload = bytes(it.slice(8));
      assert.ok(payload[0] > 240 && payload[0] < 249, "a packed tick of 2 bytes");
      return { newest: 240 + 256 * (payload[0] - 241) + payload[1], rest: hex(payload.subarray(2)) };
    });
  }
}
