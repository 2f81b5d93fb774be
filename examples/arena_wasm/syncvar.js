// The names that the page of the arena uses of the TypeScript client, over the client of Rust.

import start, { Game } from "./arena_wasm.js";

/** An object: a fighter with its body, or the crown. */
class GameObject {
  constructor(game, values) {
    this.game = game;
    this.behaviours = new Map();
    this.update(values);
  }

  update(values) {
    [this.id, this.owned] = values;
    if (values.length === 4) {
      this.#fields("Crown", { wearer: values[2], motto: values[3] });
      return;
    }
    const [, , name, health, stance, buffs, pack, x, y] = values;
    this.#fields("Fighter", { name, health, stance, buffs: buffs.map(([name, strength]) => ({ name, strength })), pack });
    this.#fields("Body", { position: { x, y } });
  }

  get(name) {
    return this.behaviours.get(name);
  }

  #fields(name, fields) {
    const behaviour = this.behaviours.get(name);
    if (behaviour) {
      behaviour.fields = fields;
      return;
    }
    const { game } = this;
    this.behaviours.set(name, {
      object: this,
      fields,
      call: (command, argument) => game.call(this.id, command, argument),
      set: (field, value) => (field === "heading" ? game.set_heading(this.id, value.x, value.y) : game.set_on_guard(this.id, value === "OnGuard")),
    });
  }
}

export class Client {
  objects = new Map();
  state = "connecting";
  #listeners = new Map();
  #game;

  constructor(origin, { transport } = {}) {
    const host = new URLSearchParams(location.search).get("server") ?? new URL(origin).host;
    start().then(() => {
      this.#game = new Game(host, transport);
      this.#frame();
    });
  }

  get transport() {
    return this.#game?.transport();
  }

  get ping() {
    return this.#game?.ping();
  }

  tick() {
    return this.#game?.tick(performance.now());
  }

  on(name, listener) {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }

  close(reason = "closed") {
    this.#game?.close(reason);
    this.#enter("closed", reason);
  }

  #emit(name, ...values) {
    for (const listener of this.#listeners.get(name) ?? []) listener(...values);
  }

  #enter(state, reason) {
    if (state === this.state) return;
    this.state = state;
    this.#emit("state", state, reason);
    if (state === "ready") this.#emit("ready");
  }

  #frame = () => {
    if (this.state === "closed") return;
    const game = this.#game;
    const seen = game.frame(performance.now());
    this.#compare(game.objects());
    const without = this.state === "connecting" ? "connecting" : "waiting";
    this.#enter(game.is_ready() ? "ready" : without, game.reason());
    for (const [id, line] of seen) this.#hear(id, line);
    game.transmit();
    requestAnimationFrame(this.#frame);
  };

  /** Finds the differences to the last frame. */
  #compare(values) {
    const ids = new Set(values.map(([id]) => id));
    for (const [id, object] of this.objects) {
      if (ids.has(id)) continue;
      this.objects.delete(id);
      this.#emit("despawn", object);
    }
    for (const value of values) {
      const known = this.objects.get(value[0]);
      const object = known ?? new GameObject(this.#game, value);
      const [owned, before, motto] = [known?.owned, known?.get("Body")?.fields.position, known?.get("Crown")?.fields.motto];
      object.update(value);
      if (!known) {
        this.objects.set(object.id, object);
        this.#emit("spawn", object);
      }
      if (object.owned && !owned) this.#emit("owner", object);
      const place = object.get("Body")?.fields.position;
      if (place && before && (place.x !== before.x || place.y !== before.y)) {
        this.#emit("Body.position", { object, tick: this.#game.received_tick(), value: place });
      }
      const said = object.get("Crown")?.fields.motto;
      if (known && said !== motto) this.#emit("Crown.motto", { value: said });
    }
  }

  /** Passes on a call or a hook that a fighter has noted. */
  #hear(id, line) {
    const fighter = this.objects.get(id)?.get("Fighter");
    if (!fighter) return;
    const struck = /^RPC: (.*) strikes .* for (\d+)$/.exec(line);
    const told = /^RPC to me alone: (.*)$/.exec(line);
    if (struck) this.#emit("Fighter.struck", fighter, struck[1], Number(struck[2]));
    if (told) this.#emit("Fighter.tell", fighter, told[1]);
  }
}
