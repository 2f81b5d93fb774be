// Fields that this client writes, on their way to the server: WIRE.md, section 4, "Owners".

import { type Ack, wasApplied } from "./headers.js";
import { HEAD, Kind, MAX_OWN, message } from "./messages.js";
import type { Behaviour, NetworkObject } from "./objects.js";
import { Writer } from "./wire.js";

/** Shortest time before a datagram without an acknowledgement counts as lost, in milliseconds. */
const MIN_TIMEOUT = 200;

/** Fields of unreliable behaviours in the last datagram of an object, with those of all undecided ones before it. */
interface Sent {
  sequence: number;
  time: number;
  fields: Map<Behaviour, Set<number>>;
}

/** Ways of messages to the server. */
export interface Carrier {
  /** Room for a message in a datagram; 0 without datagrams. */
  readonly room: number;
  sendMessage(bytes: Uint8Array): void;
  /** Sends messages in a datagram, and returns its sequence. */
  sendDatagram(channel: number, bytes: Uint8Array): number;
}

/** Owner writes of one connection. */
export class Writes {
  private readonly changed = new Set<NetworkObject>();
  private readonly sent = new Map<NetworkObject, Sent>();
  /** Objects with a message that was too long for a datagram. The later ones follow it on the stream. */
  private readonly onStream = new Set<NetworkObject>();

  constructor(private readonly carrier: Carrier) {}

  add(object: NetworkObject): void {
    this.changed.add(object);
  }

  /** Forgets the datagrams of an object under a former permit. */
  forget(object: NetworkObject): void {
    this.sent.delete(object);
    this.onStream.delete(object);
  }

  /** Handles an acknowledgement: lost fields are sent again. `last` is the newest sequence of a sent datagram. */
  acknowledge(ack: Ack, last: number): void {
    for (const [object, { sequence }] of this.sent) {
      const isApplied = wasApplied(ack, last, sequence);
      if (isApplied) this.sent.delete(object);
      else if (isApplied === false) this.changed.add(object);
    }
  }

  /** Sends changed and lost fields. */
  flush(now: number, roundTrip: number): void {
    const timeout = Math.max(MIN_TIMEOUT, 2 * roundTrip);
    for (const [object, { time }] of this.sent) if (now - time > timeout) this.changed.add(object);
    for (const object of this.changed) {
      // Of an object without a permit the writes wait for it.
      if (object.owned && !object.permit) continue;
      this.changed.delete(object);
      if (object.owned) this.send(object, now);
      else this.forget(object);
    }
  }

  private send(object: NetworkObject, now: number): void {
    const reliable = new Map<Behaviour, Set<number>>();
    const lossy = new Map(this.sent.get(object)?.fields);
    for (const behaviour of object.behaviours) {
      if (!behaviour.dirty.size) continue;
      const part = behaviour.isUnreliable && this.carrier.room > 0 ? lossy : reliable;
      part.set(behaviour, new Set([...(part.get(behaviour) ?? []), ...behaviour.dirty]));
      behaviour.dirty.clear();
    }
    this.sendReliable(object, reliable);
    if (!lossy.size) return;
    const bytes = this.onStream.has(object) ? undefined : contents(object, lossy);
    if (!bytes || bytes.length + HEAD > this.carrier.room) {
      this.onStream.add(object);
      this.sent.delete(object);
      return this.sendReliable(object, lossy);
    }
    const [behaviour] = lossy.keys();
    this.sent.set(object, { sequence: this.carrier.sendDatagram(behaviour.schema.channel, message(Kind.OwnerWrite, (writer) => writer.put(bytes))), time: now, fields: lossy });
  }

  /** Sends fields on the stream: each in its own message if they are too long for one. */
  private sendReliable(object: NetworkObject, fields: Map<Behaviour, Set<number>>): void {
    if (!fields.size) return;
    const whole = contents(object, fields);
    const parts = whole.length <= MAX_OWN
      ? [whole]
      : [...fields].flatMap(([behaviour, changed]) => Array.from(changed, (at) => contents(object, new Map([[behaviour, new Set([at])]]))));
    for (const part of parts) this.carrier.sendMessage(message(Kind.OwnerWrite, (writer) => writer.put(part)));
  }
}

/** Returns the payload of an OwnerWrite. */
function contents(object: NetworkObject, fields: Map<Behaviour, Set<number>>): Uint8Array {
  const writer = new Writer();
  writer.packed(object.id);
  writer.packed(object.permit);
  for (const [behaviour, changed] of fields) {
    writer.u8(object.behaviours.indexOf(behaviour));
    behaviour.write(writer, changed);
  }
  return writer.bytes;
}
