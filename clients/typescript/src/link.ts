// Transports: WebTransport, and WebSocket where that fails. WIRE.md, section 8.

import { Unsuitable } from "./handshake.js";
import { fromHex } from "./leaves.js";
import { textOf } from "./types.js";

/** Names of the transports. */
export type Transport = "webtransport" | "websocket";

/** Receiver of the packets of a link. */
export interface Listener {
  packet(channel: number, packet: Uint8Array, isDatagram: boolean): void;
  /** The link has ended. No packet follows. */
  ended(reason: string): void;
}

/** Open connection to a server. Its methods do not throw. */
export interface Link {
  readonly transport: Transport;
  /** Length of the longest packet in a datagram; 0 without datagrams. */
  readonly maxDatagram: number;
  send(channel: number, packet: Uint8Array): void;
  sendDatagram(channel: number, packet: Uint8Array): void;
  /** Sends the last packets and closes. */
  close(): void;
}

/** Time for WebTransport, in milliseconds. */
const PATIENCE = 2000;

/** Time for a WebSocket, in milliseconds. */
const LONG_PATIENCE = 10_000;

/** Time for the rest of the stream at the end, in milliseconds. */
const LINGER = 500;

/** Longest packet. */
const MAX_PACKET = 8 * 1024 * 1024;

/** Longest packet in a datagram. */
const MAX_DATAGRAM = 1200;

/** Puts a channel in front of a packet. */
function onChannel(channel: number, packet: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(packet.length + 1);
  bytes[0] = channel;
  bytes.set(packet, 1);
  return bytes;
}

/** Opens a link: by the named transport, or by WebTransport within two seconds, and otherwise by WebSocket. */
export async function open(url: string, transport: Transport | undefined, listener: Listener): Promise<Link> {
  if (transport === "websocket" || (!transport && typeof WebTransport === "undefined")) return openWebSocket(url, listener);
  let isLate = false;
  const attempt = openWebTransport(url, listener);
  const timeout = new Promise<never>((_, fail) => setTimeout(() => fail(new Error("WebTransport is too slow")), PATIENCE));
  try {
    return await Promise.race([attempt, timeout]);
  } catch (error) {
    isLate = true;
    if (transport) throw error;
    return await openWebSocket(url, listener);
  } finally {
    // A session that opens too late is closed.
    attempt.then((link) => isLate && link.close(), () => {});
  }
}

/** Opens a WebSocket. */
async function openWebSocket(url: string, listener: Listener): Promise<Link> {
  if (typeof WebSocket === "undefined") throw new Unsuitable("this runtime has no WebSocket");
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace(/^http/, "ws"));
    socket.binaryType = "arraybuffer";
    let isOpen = false;
    const timeout = setTimeout(() => socket.close(), LONG_PATIENCE);
    const send = (channel: number, packet: Uint8Array): void => {
      if (socket.readyState === WebSocket.OPEN) socket.send(onChannel(channel, packet) as Uint8Array<ArrayBuffer>);
    };
    socket.onopen = () => {
      isOpen = true;
      clearTimeout(timeout);
      resolve({ transport: "websocket", maxDatagram: 0, send, sendDatagram: send, close: () => socket.close() });
    };
    socket.onmessage = ({ data }) => {
      if (!(data instanceof ArrayBuffer) || data.byteLength < 2) return socket.close();
      const bytes = new Uint8Array(data);
      listener.packet(bytes[0], bytes.subarray(1), false);
    };
    socket.onclose = ({ code, reason }) => {
      clearTimeout(timeout);
      const ended = `the WebSocket has ended (${code}${reason && `: ${reason}`})`;
      if (isOpen) listener.ended(ended);
      else reject(new Error(ended));
    };
  });
}

/** Opens a session with one bidirectional stream. */
async function openWebTransport(url: string, listener: Listener): Promise<Link> {
  const hashes: string[] = await (await fetch(new URL("/cert-hashes", url))).json();
  const serverCertificateHashes = hashes.map((hash) => ({ algorithm: "sha-256", value: fromHex(hash) as Uint8Array<ArrayBuffer> }));
  const session = new WebTransport(url.replace(/^http:/, "https:"), hashes.length ? { serverCertificateHashes } : {});
  session.closed.catch(() => {});
  await session.ready;
  const stream = await session.createBidirectionalStream();
  const writer = stream.writable.getWriter();
  const datagrams: any = session.datagrams;
  const datagramWriter = (datagrams.createWritable?.() ?? datagrams.writable).getWriter();
  let isEnded = false;
  const end = (reason: string): void => {
    if (!isEnded) listener.ended(reason);
    isEnded = true;
    closeSession(session);
  };
  readStream(stream.readable, listener).then(end, (error) => end(textOf(error)));
  readDatagrams(session.datagrams.readable, listener).catch(() => {});
  return {
    transport: "webtransport",
    maxDatagram: Math.min(session.datagrams.maxDatagramSize - 1, MAX_DATAGRAM),
    send(channel, packet) {
      const frame = new Uint8Array(packet.length + 5);
      new DataView(frame.buffer).setUint32(0, packet.length + 1);
      frame.set(onChannel(channel, packet), 4);
      writer.write(frame).catch((error) => end(textOf(error)));
    },
    sendDatagram(channel, packet) {
      datagramWriter.write(onChannel(channel, packet)).catch(() => {});
    },
    close() {
      writer.close().catch(() => {});
      setTimeout(() => closeSession(session), LINGER);
    },
  };
}

function closeSession(session: WebTransport): void {
  try {
    session.close();
  } catch {
    // It is closed.
  }
}

/** Reads frames: a length, most significant byte first, a channel, a packet. Returns the reason of the end. */
async function readStream(readable: ReadableStream<Uint8Array>, listener: Listener): Promise<string> {
  const reader = readable.getReader();
  let buffer = new Uint8Array();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return "the stream has ended";
    const joined = new Uint8Array(buffer.length + value.length);
    joined.set(buffer);
    joined.set(value, buffer.length);
    let at = 0;
    while (joined.length - at >= 4) {
      const length = new DataView(joined.buffer, at).getUint32(0);
      if (length < 2 || length > MAX_PACKET) return `a frame of ${length} bytes`;
      if (joined.length - at < 4 + length) break;
      listener.packet(joined[at + 4], joined.subarray(at + 5, at + 4 + length), false);
      at += 4 + length;
    }
    buffer = joined.slice(at);
  }
}

async function readDatagrams(readable: ReadableStream<Uint8Array>, listener: Listener): Promise<void> {
  const reader = readable.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    if (value.length > 1) listener.packet(value[0], value.subarray(1), true);
  }
}
