// Decoding of the same changes by this client and by `@colyseus/schema`, in one run: CPU and garbage for each change.
//
// `npm run bench`, or `npm run bench another/syncvar.js`. Of 10 % of the objects, `x` and `y` change in
// each round. Every field has a listener.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Callbacks, Decoder, Encoder, schema, t } from "@colyseus/schema";
import { connect, positions, tick } from "./session.mjs";

const { Client } = await import(process.argv[2] ? pathToFileURL(process.argv[2]).href : "../syncvar.js");

/** Changes of a measured run, and before the first one. */
const CHANGES = 120_000;

/** Changes of a run whose garbage is measured. */
const FEW = 12_000;

const RUNS = 7;

/** Session of this client. */
class Syncvar {
  heard = 0;

  async begin(objects) {
    Object.assign(this, await connect(Client, objects));
    for (const field of ["x", "y", "health"]) this.client.on(`Mover.${field}`, ({ value }) => (this.heard += value > -1e9 ? 1 : 0));
    return this;
  }

  encode(round, objects) {
    return tick(positions(round, objects));
  }

  end() {
    this.client.close();
  }
}

const Mover = schema({ x: t.float32(), y: t.float32(), health: t.uint16() }, "Mover");
const State = schema({ movers: t.map(Mover) }, "State");

/** The same session of `@colyseus/schema`. */
class Colyseus {
  heard = 0;

  async begin(objects) {
    Encoder.BUFFER_SIZE = 4 * 1024 * 1024;
    this.state = new State();
    for (let id = 1; id <= objects; id++) this.state.movers.set(String(id), new Mover().assign({ x: 0, y: 0, health: 100 }));
    this.encoder = new Encoder(this.state);
    this.decoder = new Decoder(new State());
    const callbacks = Callbacks.get(this.decoder);
    callbacks.onAdd("movers", (mover) => {
      for (const field of ["x", "y", "health"]) callbacks.listen(mover, field, (value) => (this.heard += value > -1e9 ? 1 : 0));
    });
    this.decoder.decode(this.encoder.encodeAll({ offset: 0 }));
    this.encoder.discardChanges();
    if (this.decoder.state.movers.size !== objects) throw new Error(`${this.decoder.state.movers.size} objects`);
    this.heard = 0;
    return this;
  }

  encode(round, objects) {
    for (const { id, x, y } of positions(round, objects)) this.state.movers.get(String(id)).assign({ x, y });
    const bytes = this.encoder.encode({ offset: 0 }).slice();
    this.encoder.discardChanges();
    return bytes;
  }

  decode(bytes) {
    this.decoder.decode(bytes);
  }

  end() {}
}

/** CPU time of the main thread in nanoseconds: helpers of the garbage collector work for all that was before. */
const cpu = () => Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[0]);

async function measure(Session, objects) {
  const session = await new Session().begin(objects);
  let round = 1;
  const prepare = (changes) => Array.from({ length: changes / (2 * Math.floor(objects / 10)) }, () => session.encode(round++, objects));
  for (const packets of prepare(CHANGES)) session.decode(packets);
  let [nanoseconds, garbage] = [Infinity, Infinity];
  for (let run = 0; run < RUNS; run++) {
    const rounds = prepare(CHANGES);
    session.heard = 0;
    gc();
    const started = cpu();
    for (const packets of rounds) session.decode(packets);
    nanoseconds = Math.min(nanoseconds, (cpu() - started) / CHANGES);
    if (session.heard !== CHANGES) throw new Error(`${session.heard} changes`);
    // Few enough for the young generation: nothing is collected meanwhile.
    const few = prepare(FEW);
    gc();
    const memory = process.memoryUsage().heapUsed;
    for (const packets of few) session.decode(packets);
    const used = process.memoryUsage().heapUsed - memory;
    if (used > 0) garbage = Math.min(garbage, used / FEW);
  }
  const bytes = prepare(FEW).reduce((sum, packets) => sum + [packets].flat().reduce((all, it) => all + it.length, 0), 0) / FEW;
  session.end();
  return { nanoseconds, garbage, bytes };
}

for (const objects of [1000, 10_000]) {
  const [own, other] = [await measure(Syncvar, objects), await measure(Colyseus, objects)];
  const line = (name, { nanoseconds, garbage, bytes }) => console.log(`${objects} objects, ${name}: ${nanoseconds.toFixed(0)} ns, ${garbage.toFixed(0)} B of garbage, ${bytes.toFixed(2)} B on the wire per change`);
  line("syncvar", own);
  line("@colyseus/schema", other);
  console.log(`ratio: CPU ${(own.nanoseconds / other.nanoseconds).toFixed(2)}, garbage ${(own.garbage / other.garbage).toFixed(2)}, bytes ${(own.bytes / other.bytes).toFixed(2)}`);
}
process.exit();
