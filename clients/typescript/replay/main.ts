// The replay page: opens the file beside it, and shows its position.

import { LogError, Replay } from "../src/replay.js";
import { Changes } from "./changes.js";
import { at, clock, make, shown, size } from "./dom.js";
import { Objects } from "./objects.js";
import { Plots } from "./plots.js";
import { Timeline } from "./timeline.js";
import { TopView } from "./top.js";

/** File beside the page, unless its address names another one. */
const FILE = "recording.mcap";

/** Step of the keys for a page, in seconds. */
const LEAP = 5;

/** Rest of the position before it is written into the address, in milliseconds. */
const HASH_DELAY = 250;

/** Time before the page asks for new records of a file that is being written: at first, its factor while there are none, at most. In milliseconds. */
const REFRESH = { first: 1000, factor: 1.3, most: 10_000 };

/** Status of a broadcast that has no record yet. */
const UNAVAILABLE = 503;

/** Page of a replay. */
class Page {
  private readonly timeline: Timeline;
  private readonly objects: Objects;
  private readonly top: TopView;
  private readonly changes: Changes;
  private readonly plots: Plots;
  private readonly speed = at<HTMLSelectElement>("speed");
  private isDue = false;
  private hashTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly replay: Replay) {
    const seek = (time: number): void => void this.run(replay.seek(time));
    const choose = (id: number): void => {
      this.objects.choose(id);
      this.redraw();
    };
    this.timeline = new Timeline(replay, seek);
    this.plots = new Plots(replay, seek, fail, (objects) => {
      this.top.reserve(objects);
      this.redraw();
    });
    this.objects = new Objects(replay, this.plots);
    this.top = new TopView(replay, choose);
    this.changes = new Changes(replay, choose);
    replay.on("moved", () => this.redraw());
    replay.on("state", () => this.redraw());
    replay.on("error", fail);
    replay.on("unreadable", (id, reason) => fail(`object ${id}: ${reason}`));
    replay.on("grown", () => {
      this.describe();
      this.redraw();
    });
    this.describe();
    this.listen();
  }

  /** Shows the moment of the address, or follows a file that is being written. */
  async begin(): Promise<void> {
    const hasMoment = await this.readHash();
    this.plots.begin();
    this.redraw();
    if (this.replay.header.isWhole) return;
    if (!hasMoment) await this.run(this.replay.follow());
    this.refresh(REFRESH.first);
  }

  /** Asks for new records, again and again until the file has its end. */
  private refresh(wait: number): void {
    setTimeout(async () => {
      try {
        if (await this.replay.refresh()) wait = REFRESH.first / REFRESH.factor;
      } catch (error) {
        fail(error);
      }
      if (!this.replay.header.isWhole) this.refresh(Math.min(wait * REFRESH.factor, REFRESH.most));
    }, wait);
  }

  private describe(): void {
    const { header, duration, start } = this.replay;
    const { size: bytes, tickRate, wallClock, program, isWhole, kind } = header;
    const facts = [...program].map(([name, value]) => `${name} ${value}`);
    facts.push(kind, clock(duration, 0), `${tickRate} ticks/s`, size(bytes));
    if (wallClock) facts.push(new Date(wallClock + start * 1000).toLocaleString());
    if (!isWhole) facts.push("being written, or cut");
    at("live").hidden = isWhole;
    at("facts").replaceChildren(...facts.map((fact) => make("span", {}, fact)));
    at("duration").textContent = clock(duration);
    at("timeline").setAttribute("aria-valuemax", String(duration));
  }

  private listen(): void {
    const { replay, speed } = this;
    at("play").addEventListener("click", () => this.toggle());
    at("back").addEventListener("click", () => this.run(replay.step(-1)));
    at("forward").addEventListener("click", () => this.run(replay.step(1)));
    at("live").addEventListener("click", () => this.run(replay.follow()));
    at("link").addEventListener("click", () => this.copyLink());
    speed.addEventListener("change", () => replay.speed !== undefined && replay.play(Number(speed.value)));
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => this.readHash());
  }

  private key(event: KeyboardEvent): void {
    const { target, key, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey || (target instanceof HTMLElement && /^(SELECT|TEXTAREA)$/.test(target.tagName))) return;
    if (target instanceof HTMLInputElement && target.type !== "checkbox") return;
    // A button takes the space itself.
    if (key === " " && target instanceof HTMLElement && target.closest("button, input, summary")) return;
    const { replay } = this;
    const actions: Record<string, () => unknown> = {
      " ": () => this.toggle(),
      ArrowLeft: () => this.run(replay.step(-1)),
      ArrowRight: () => this.run(replay.step(1)),
      PageUp: () => this.run(replay.seek(replay.position - LEAP)),
      PageDown: () => this.run(replay.seek(replay.position + LEAP)),
      Home: () => this.run(replay.seek(replay.start)),
      End: () => this.run(replay.seek(replay.end)),
    };
    if (!actions[key]) return;
    event.preventDefault();
    actions[key]();
  }

  private toggle(): void {
    const { replay } = this;
    if (replay.speed !== undefined) {
      replay.pause();
      return this.writeHash();
    }
    const play = (): void => replay.play(Number(this.speed.value));
    if (replay.position >= replay.end) replay.seek(replay.start).then(play, fail);
    else play();
  }

  /** Waits for an operation. */
  private async run(operation: Promise<unknown>): Promise<void> {
    try {
      await operation;
      fail(undefined);
      // Browsers refuse many addresses in a short time, as of a pointer that drags.
      clearTimeout(this.hashTimer);
      this.hashTimer = setTimeout(() => this.replay.speed === undefined && this.writeHash(), HASH_DELAY);
    } catch (error) {
      fail(error);
    }
  }

  /** Shows the moment in the address, so that it is a link. */
  private writeHash(): void {
    history.replaceState(undefined, "", this.hash());
  }

  private hash(): string {
    return `#t=${Number((this.replay.position - this.replay.start).toFixed(6))}`;
  }

  private copyLink(): void {
    this.writeHash();
    const note = (text: string): void => {
      at("link").textContent = text;
      setTimeout(() => (at("link").textContent = "Link"), 1500);
    };
    // Without a secure address the link is in the address line alone.
    if (navigator.clipboard) navigator.clipboard.writeText(location.href).then(() => note("Copied"), () => note("In the address"));
    else note("In the address");
  }

  /** Shows the moment of the address. Returns whether it has one. */
  private async readHash(): Promise<boolean> {
    const time = Number(/[#&]t=([\d.]+)/.exec(location.hash)?.[1] ?? NaN);
    if (!Number.isFinite(time)) return false;
    await this.run(this.replay.seek(this.replay.start + time));
    return true;
  }

  private redraw(): void {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      const { replay } = this;
      const isPlaying = replay.speed !== undefined;
      at("play").textContent = isPlaying ? "Pause" : "Play";
      at("play").setAttribute("aria-pressed", String(isPlaying));
      at("live").setAttribute("aria-pressed", String(replay.isFollowing));
      at("time").textContent = clock(replay.position - replay.start);
      at("tick").textContent = `tick ${replay.tick ?? "—"}`;
      this.timeline.draw();
      this.objects.draw();
      this.top.draw(this.objects.chosen);
      this.changes.draw();
      this.plots.draw();
    });
  }
}

/** Shows an error, or that there is none. */
function fail(error: unknown): void {
  const message = at("error");
  message.hidden = error === undefined;
  message.textContent = error === undefined ? "" : error instanceof Error ? error.message : shown(error);
}

/** Opens the file. Waits for the begin of a broadcast. */
async function opened(address: URL): Promise<Replay> {
  for (;;) {
    try {
      const replay = await Replay.open(address);
      fail(undefined);
      return replay;
    } catch (error) {
      if (!(error instanceof LogError && error.status === UNAVAILABLE)) throw error;
      fail("The broadcast has not begun.");
      await new Promise((done) => setTimeout(done, REFRESH.first));
    }
  }
}

async function open(): Promise<void> {
  const address = new URL(new URLSearchParams(location.search).get("file") ?? FILE, location.href);
  const replay = await opened(address);
  const page = new Page(replay);
  Object.assign(globalThis, { replay });
  await page.begin();
  document.body.classList.add("ready");
}

open().catch(fail);
