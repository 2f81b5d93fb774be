// Packets of a server with moving objects, without a network: for node and for a page.

export const f32 = (value) => [...new Uint8Array(Float32Array.of(value).buffer)];

const u16 = (value) => [value & 255, value >> 8];

function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return [...bytes, value];
}

const message = (kind, payload) => [...u16(payload.length), ...u16(kind), ...payload];

/** Longest packet. */
const PACKET = 1300;

const SCHEMA = `\
prefab mover 00000000000000000000000000000001
  behaviour Mover, channel 0
    class Mover
      x: f32
      y: f32
      health: u16
`;

/** Returns batches of entries of ascending ids, each for a packet of its own. */
function batches(kind, entries) {
  const all = [];
  let payload = [];
  let last = 0;
  for (const { id, contents } of entries) {
    if (payload.length + contents.length + 6 > PACKET) {
      all.push(message(kind, payload));
      [payload, last] = [[], 0];
    }
    const head = (id - last - 1) * 8;
    payload.push(...(contents.length < 7 ? varint(head + contents.length) : [...varint(head + 7), ...varint(contents.length - 7)]), ...contents);
    last = id;
  }
  all.push(message(kind, payload));
  return all;
}

/** WebSocket whose other end is the program. */
class Socket {
  static OPEN = 1;
  static last;
  readyState = 1;

  constructor() {
    Socket.last = this;
    setTimeout(() => this.onopen(), 0);
  }

  send() {}
  close() {}
}

/** Connects a client to a server with this number of objects. Returns the client and a function that gives packets to it, each behind its channel. */
export async function connect(Client, objects) {
  globalThis.WebSocket = Socket;
  const client = new Client("http://test.invalid", { transport: "websocket" });
  await new Promise((done) => setTimeout(done, 20));
  const socket = Socket.last;
  const decode = (packets) => {
    for (const packet of packets) socket.onmessage({ data: packet.buffer });
  };
  const receive = (bytes) => decode([Uint8Array.from([0, ...bytes])]);
  receive([...message(21, [1, ...new TextEncoder().encode(SCHEMA)]), ...message(32, [7, ...Array(8).fill(0), 1, ...Array(8).fill(9), 241, 60, 20, 0, 2, 0, 1])]);
  receive([0x01, 1, ...message(12, [0])]);
  const entries = Array.from({ length: objects }, (_, at) => ({ id: at + 1, contents: [0, ...f32(0), ...f32(0), 100] }));
  for (const packet of batches(23, entries)) receive([0, ...packet]);
  receive([0x02, ...message(12, [1])]);
  if (client.objects.size !== objects) throw new Error(`${client.objects.size} objects`);
  return { client, decode };
}

/** Returns the positions of a round: of each tenth object. */
export function positions(round, objects) {
  const changed = [];
  for (let id = 1 + (round % 10); id <= objects; id += 10) {
    changed.push({ id, x: Math.fround((id * 7 + round * 3) % 1000), y: Math.fround((id * 11 + round * 5) % 700) });
  }
  return changed;
}

/** Returns the packets of a tick with these positions. */
export function tick(changed) {
  const all = batches(22, changed.map(({ id, x, y }) => ({ id, contents: [3, ...f32(x), ...f32(y)] })));
  return all.map((packet, at) => Uint8Array.from([0, (at === 0 ? 1 : 0) | (at === all.length - 1 ? 2 : 0), ...(at === 0 ? [1] : []), ...packet]));
}
