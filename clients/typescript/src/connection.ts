// One connection: the handshake and the packets of both directions. WIRE.md, sections 5 and 7.

import { Arrivals, type Report } from "./arrivals.js";
import { Clock } from "./clock.js";
import type { Extension } from "./extension.js";
import { Handshake, type Knowledge, Unsuitable } from "./handshake.js";
import { type Ack, writeDatagramHeader, writeStreamHeader } from "./headers.js";
import type { Link } from "./link.js";
import { KEEP } from "./keep.js";
import { FIRST_PROGRAM_MESSAGE, forEachMessage, Kind, message } from "./messages.js";
import type { Behaviour, NetworkObject } from "./objects.js";
import { View } from "./view.js";
import type { MessageSchema } from "./schema.js";
import { bytesOf, textOf } from "./types.js";
import { Reader, utf8Of, WireError, Writer } from "./wire.js";
import type { Packet, World } from "./world.js";
import { Writes } from "./writes.js";

/** Bytes beside the messages in a datagram: the longest header. */
const HEADER = 24;

/** Most bytes of messages in one packet, with room for a long last one. */
const PACKET = 1300;

/** Silence that ends the connection, in milliseconds of a timer that runs. */
const MAX_SILENCE = 10_000;

/** Longest step of the silence: a sleeping tab receives no packets. */
const MAX_STEP = 1000;

/** Interval of the timer, in milliseconds. */
const TICK = 33;

/** Commands and messages of a burst, and in each interval of the timer. A server ends a connection with 10 000 refused ones at once, or 1000 in each second. */
const MAX_LOAD = 8000;
const FORGIVEN = TICK;

/** Reasons of the server that a new connection does not change: another schema, another version, a refusal. */
const FINAL = [1, 2, 4];
const REQUESTED = 0;
const OTHER_SCHEMA = 1;

/** Parts of a client that outlive a connection. */
export interface Owner extends Knowledge {
  readonly world: World;
  /** The state of a tick of the server is here. */
  finished(report: Report): void;
  extension: Extension | undefined;
  /** The connection has ended; `isFinal` if another one would end alike. */
  ended(reason: string, isFinal: boolean, payload?: Uint8Array): void;
}

/** Connection to a server over a link. */
export class Connection {
  readonly clock = new Clock();
  readonly view = new View();
  /** Whether the packets of a channel may be lost. */
  private channels: boolean[] = [];
  private readonly handshake: Handshake;
  private readonly arrivals = new Arrivals({
    acknowledged: (ack) => this.acknowledged(ack),
    apply: (packet, reader) => this.apply(packet, reader),
    finished: (report) => this.finished(report),
  });
  private readonly writes = new Writes(this);
  private readonly timer = setInterval(() => this.tick(), TICK);
  private outbox: { channel: number; bytes: Uint8Array }[] = [];
  private state: "connecting" | "connected" | "ended" = "connecting";
  /** Tick of the last packet of the stream. */
  private sentTick = 0;
  /** Sequence of the last datagram. */
  private sequence = 0;
  /** Number of updates of this client. */
  private update = 0;
  /** Tick of the server with number 1 in the headers. */
  private firstTick = 0;
  private silence = 0;
  /** Commands and messages that a server has not forgiven: beyond its rate it refuses them, and ends the connection of a client that goes on. */
  private load = 0;
  private lastTick = performance.now();

  constructor(
    readonly link: Link,
    private readonly owner: Owner,
  ) {
    this.handshake = new Handshake(owner, (bytes) => this.sendMessage(bytes));
  }

  get isConnected(): boolean {
    return this.state === "connected";
  }

  get room(): number {
    return Math.max(this.link.maxDatagram - HEADER, 0);
  }

  /** Returns a tick of the headers as a tick of the server's time. */
  networkTick(tick: number): number {
    return this.firstTick + tick - 1;
  }

  /** Handles a packet of the link. An error ends the connection, except in the header of a datagram. */
  packet(channel: number, bytes: Uint8Array, isDatagram: boolean): void {
    if (this.state === "ended") return;
    this.silence = 0;
    try {
      const reader = new Reader(bytes);
      if (this.state !== "connected") isDatagram || this.handleMessages({ channel, tick: 0, isEarly: false }, reader);
      else if (isDatagram) this.arrivals.datagram(channel, reader, performance.now());
      else this.arrivals.stream(channel, reader, performance.now());
    } catch (error) {
      this.end(`unreadable packet: ${textOf(error)}`, false);
    }
  }

  /** Ends the connection: for good with a goodbye, which ends the session, too. */
  end(reason: string, isFinal: boolean, code = REQUESTED, payload?: Uint8Array): void {
    try {
      // The rest of the tick of packets that wait comes no more.
      if (this.state === "connected") this.arrivals.expire(Infinity);
    } catch {
      // The connection ends in any case.
    }
    if (this.state === "ended") return;
    if (isFinal) {
      this.sendMessage(message(Kind.Disconnect, (writer) => {
        const text = utf8Of(reason.slice(0, 1000));
        writer.u8(code);
        writer.u16(text.length);
        writer.put(text);
      }));
    }
    this.flush();
    this.state = "ended";
    clearInterval(this.timer);
    this.link.close();
    this.owner.ended(reason, isFinal, payload);
  }

  /** Sends a message on the stream, at the latest after the running code. */
  sendMessage(bytes: Uint8Array, channel = 0): void {
    if (!this.outbox.length) queueMicrotask(() => this.flush());
    this.outbox.push({ channel, bytes });
  }

  sendDatagram(channel: number, bytes: Uint8Array): number {
    const writer = new Writer();
    writeDatagramHeader(writer, { sequence: ++this.sequence, tick: this.update }, this.arrivals.receiver.takeAck());
    writer.put(bytes);
    this.link.sendDatagram(channel, writer.bytes);
    return this.sequence;
  }

  /** Sends a command on its object. */
  call(behaviour: Behaviour, number: number, values: any[], isLossy: boolean): void {
    const { behaviours, id } = behaviour.object;
    const before = behaviours.slice(0, behaviours.indexOf(behaviour));
    const first = before.reduce((sum, { schema }) => sum + schema.calls.length, 0);
    const { arguments: types, count, convert, name, parameters } = behaviour.schema.calls[number];
    if (values.length !== count) throw new RangeError(`${name} takes ${count} arguments`);
    const sent = convert?.(values) ?? values;
    this.sendInView(message(Kind.Call, (writer) => {
      writer.varint(id);
      writer.varint(first + number);
      types.forEach((type, index) => writer.put(bytesOf(type, sent[index], `${behaviour.name}.${name}(${parameters[index].name})`)));
    }), isLossy ? Math.max(this.unreliable, 0) : 0);
  }

  /** Returns the message of this name. */
  message(name: string): MessageSchema {
    const found = this.owner.schema?.messages.find((it) => it.name === name);
    if (!found) throw new RangeError(`the server knows no message ${name}`);
    return found;
  }

  /** Sends a message of the program. */
  sendProgramMessage(channel: number, name: string, value: any): void {
    const found = this.message(name);
    this.sendInView(message(found.number, (writer) => writer.put(bytesOf(found.type, value, name))), channel);
  }

  /** Asks for the snapshot of an object. */
  resync(id: number): void {
    this.sendMessage(message(Kind.Resync, (writer) => writer.packed(id)));
  }

  /** Returns the tick of the server's time that a frame draws. */
  showView(interval: number): number | undefined {
    const tick = this.view.show(performance.now(), interval, this.clock.tickRate);
    return tick === undefined ? undefined : this.networkTick(tick);
  }

  /** Sends a message behind the view that it refers to, in one packet: on an unreliable channel by a datagram. */
  private sendInView(bytes: Uint8Array, channel: number): void {
    if (this.load >= MAX_LOAD) throw new RangeError("too many calls");
    this.load++;
    const isLossy = this.channels[channel];
    if (isLossy === undefined) throw new RangeError(`the server knows no channel ${channel}`);
    const packet = Uint8Array.from([...this.view.message(), ...bytes]);
    if (!isLossy || !this.room) return this.sendMessage(packet, channel);
    if (packet.length > this.room) throw new RangeError(`a datagram of ${packet.length} bytes, beyond ${this.room}`);
    this.sendDatagram(channel, packet);
  }

  /** Number of an unreliable channel; below 0 without one. */
  get unreliable(): number {
    return this.channels.indexOf(true);
  }

  written(object: NetworkObject): void {
    this.writes.add(object);
  }

  private flush(): void {
    const hasHeaders = this.state === "connected";
    if (this.state === "ended") return;
    while (this.outbox.length) {
      const writer = new Writer();
      if (hasHeaders) {
        writeStreamHeader(writer, this.update - this.sentTick, this.arrivals.receiver.takeAck());
        this.sentTick = this.update;
      }
      const { channel } = this.outbox[0];
      let length = 0;
      do {
        const { bytes } = this.outbox.shift()!;
        length += bytes.length;
        writer.put(bytes);
      } while (this.outbox[0]?.channel === channel && length + this.outbox[0].bytes.length <= PACKET);
      this.link.send(channel, writer.bytes);
    }
  }

  /** Sends due writes, pings and acknowledgements, and notices silence. */
  private tick(): void {
    const now = performance.now();
    this.silence += Math.min(now - this.lastTick, MAX_STEP);
    this.lastTick = now;
    if (this.silence > MAX_SILENCE) return this.end("the server is silent", false);
    if (this.state !== "connected") return;
    this.update++;
    this.load = Math.max(this.load - FORGIVEN, 0);
    this.arrivals.expire(now - 1000 / this.clock.tickRate);
    this.owner.world.expire(now);
    this.owner.extension?.advanced();
    this.writes.flush(now, this.clock.roundTrip ?? 0);
    // The server answers with its next update. At a random moment, some of the answers hardly wait for it.
    if (this.clock.isDue(now)) {
      const ping = (): void => this.sendMessage(message(Kind.Ping, (writer) => writer.packed(Math.round(performance.now() * 1000))));
      setTimeout(ping, Math.random() * TICK);
    }
    this.flush();
    this.acknowledge();
  }

  private acknowledge(): void {
    const { receiver } = this.arrivals;
    if (!receiver.owes || this.unreliable < 0) return;
    const writer = new Writer();
    writeDatagramHeader(writer, undefined, receiver.takeAck());
    this.link.sendDatagram(this.unreliable, writer.bytes);
  }

  private acknowledged(ack: Ack): void {
    this.writes.acknowledge(ack, this.sequence);
    this.owner.extension?.acknowledged(ack, this.sequence);
  }

  private apply(packet: Packet, reader: Reader): void {
    this.handleMessages(packet, reader);
    if (this.arrivals.receiver.isUrgent) this.acknowledge();
  }

  /** Tells the changes of a tick, runs its calls, and reports it. */
  private finished(report: Report): void {
    const { world } = this.owner;
    world.tell();
    world.finish(report);
    this.view.arrived(report, this.clock.tickRate);
    this.owner.finished(report);
  }

  private handleMessages(packet: Packet, reader: Reader): void {
    forEachMessage(reader, (kind) => {
      // A callback of the program may have ended the connection.
      if (this.state !== "ended" && (!packet.isEarly || kind === Kind.UpdateBatch)) this.handle(kind, reader, packet);
    });
  }

  private handle(kind: number, reader: Reader, packet: Packet): void {
    if (kind === Kind.Disconnect) return this.handleDisconnect(reader);
    if (this.state !== "connected") return this.handleHandshake(kind, reader);
    const { world } = this.owner;
    if (world.handle(kind, reader, packet)) return;
    switch (kind) {
      case Kind.Owner:
        return world.setOwner(reader.packed(), true, reader.packed() | 0, packet);
      case Kind.LocalClientAuthority:
        return world.setOwner(reader.packed(), reader.bool(), undefined, packet);
      case Kind.OwnerState: {
        const object = world.ownerState(reader, packet);
        if (object) {
          this.writes.forget(object);
          this.writes.add(object);
        }
        return;
      }
      case Kind.SpawnFinished:
        return world.spawnFinished(reader.packed());
      case Kind.Pong: {
        const [sent, server, tickRate] = [reader.packed() / 1000, reader.packed(), reader.packed()];
        if (!tickRate) throw new WireError("0 ticks in a second");
        this.sendMessage(message(Kind.Echo, (writer) => writer.packed(server)));
        return this.clock.pong(performance.now(), sent, server / 1000, tickRate);
      }
      case Kind.InputState:
        return this.owner.extension?.reported(reader);
      case Kind.Void:
      case Kind.NotReady:
        return;
    }
    const found = kind >= FIRST_PROGRAM_MESSAGE && this.owner.schema?.messages.find((it) => it.number === kind);
    if (!found) throw new WireError(`the unknown message ${kind}`);
    const value = found.type.read(reader);
    if (value === KEEP) this.owner.emit("unfitMessage", found.name);
    else this.owner.emit("message", found.name, value);
  }

  private handleHandshake(kind: number, reader: Reader): void {
    try {
      const accepted = this.handshake.handle(kind, reader);
      if (!accepted) return;
      this.firstTick = accepted.firstTick;
      this.clock.tickRate = accepted.tickRate;
      this.channels = accepted.channels;
      // The packets with the handshake have no header.
      this.flush();
      this.state = "connected";
      this.owner.world.begin(accepted.schema, this.channels, accepted.incarnation);
      this.owner.extension?.connected(this);
      this.sendMessage(message(Kind.Ready));
    } catch (error) {
      if (!(error instanceof Unsuitable)) throw error;
      this.end(error.message, true, error.isOfAnotherBuild ? OTHER_SCHEMA : REQUESTED);
    }
  }

  private handleDisconnect(reader: Reader): void {
    const [reason, text] = [reader.u8(), reader.text(reader.u16())];
    this.end(text || `ended by the server (${reason})`, FINAL.includes(reason), REQUESTED, reader.rest().slice());
  }
}
