// Sockets without a network, for node and for pages.

export const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
export const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** WebSocket whose other end is the test. */
export class FakeSocket {
  static OPEN = 1;
  static last;
  readyState = 1;
  sent = [];

  constructor(url) {
    this.url = url;
    FakeSocket.last = this;
    setTimeout(() => this.onopen?.(), 0);
  }

  send(data) {
    this.sent.push(Uint8Array.from(data));
  }

  receive(channel, packet) {
    this.onmessage({ data: Uint8Array.from([channel, ...packet]).buffer });
  }

  close() {
    if (this.readyState === 1) setTimeout(() => this.onclose({ code: 1000, reason: "" }), 0);
    this.readyState = 3;
  }
}

/** WebTransport whose other end is the test. */
export class FakeTransport {
  static last;
  ready = Promise.resolve();
  frames = [];
  sent = [];

  constructor(url, options) {
    Object.assign(this, { url, options });
    FakeTransport.last = this;
    this.closed = new Promise((done) => (this.close = done));
    const sink = (into) => new WritableStream({ write: (chunk) => void into.push(Uint8Array.from(chunk)) });
    const readable = new ReadableStream({ start: (controller) => (this.stream = controller) });
    this.createBidirectionalStream = async () => ({ readable, writable: sink(this.frames) });
    const datagrams = new ReadableStream({ start: (controller) => (this.incoming = controller) });
    this.datagrams = { readable: datagrams, writable: sink(this.sent), maxDatagramSize: 1024 };
  }

  receive(packets) {
    for (const [channel, packet] of packets) this.stream.enqueue(Uint8Array.of(0, 0, (packet.length + 1) >> 8, (packet.length + 1) & 255, channel, ...packet));
  }

  /** Sends a datagram of the server. */
  datagram(sequence, tick, messages, after) {
    const low = (value) => [value & 255, (value >> 8) & 255];
    const flags = after === undefined ? 0x01 : 0x05;
    this.incoming.enqueue(Uint8Array.of(1, flags, ...low(sequence), ...low(tick), ...(after === undefined ? [] : low(after)), ...messages));
  }

  /** Takes the datagrams of the client that are no mere acknowledgements. */
  takeSent() {
    return this.sent.splice(0).filter((datagram) => datagram[1] & 1).map(hex);
  }

  /** Takes the acknowledgements of the client, alone or in packets of the stream: the newest sequence, and the mask. */
  takeAcks() {
    const alone = this.sent.splice(0).filter((datagram) => datagram[1] === 0x10).map((datagram) => datagram.subarray(2));
    const packets = this.frames.splice(0).map((frame) => frame.subarray(5));
    const others = packets.filter((packet) => packet[0] & 0x10).map((packet) => packet.subarray(packet[0] & 1 ? 2 : 1));
    return [...others, ...alone].map((ack) => ({ newest: ack[0] | (ack[1] << 8), mask: hex(ack.subarray(5, 5 + ack[4])) }));
  }
}
