// The timeline: bytes by chunk, keyframes, markers and the position.

import type { Replay } from "../src/replay.js";
import { at, clock, colour, make, shown } from "./dom.js";

/** Timeline of a replay. */
export class Timeline {
  private readonly canvas = at<HTMLCanvasElement>("timeline");
  private readonly context = this.canvas.getContext("2d")!;
  private keyframes: number[] = [];
  private chunks: { start: number; density: number }[] = [];
  private isDragged = false;

  constructor(
    private readonly replay: Replay,
    private readonly seek: (time: number) => void,
  ) {
    this.read();
    replay.on("grown", () => this.read());
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => {
      this.isDragged = true;
      canvas.setPointerCapture(event.pointerId);
      this.seek(this.timeOf(event));
    });
    canvas.addEventListener("pointermove", (event) => this.isDragged && this.seek(this.timeOf(event)));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (this.isDragged = false));
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  /** Reads the chunks, keyframes and markers of the file. */
  private read(): void {
    const { chunks, duration, keyframes } = this.replay;
    this.keyframes = keyframes;
    // The last chunk may be a moment long, and is no peak.
    const least = Math.max(duration / 200, 0.05);
    this.chunks = chunks.map(({ start, end, bytes }) => ({ start, density: bytes / Math.max(end - start, least) }));
    this.listMarkers();
  }

  private listMarkers(): void {
    const { markers, start } = this.replay;
    const buttons = markers.slice(0, 500).map(({ name, time, value }) => {
      const text = value === null || value === undefined ? "" : ` ${shown(value, 1)}`;
      return make("button", { type: "button", title: `${name}${text}`, onclick: () => this.seek(time) }, make("b", {}, name), ` ${clock(time - start, 1)}`);
    });
    at("markers").replaceChildren(...buttons);
    at("markers").hidden = !buttons.length;
  }

  private timeOf({ offsetX }: PointerEvent): number {
    const share = Math.min(Math.max(offsetX / this.canvas.clientWidth, 0), 1);
    return this.replay.start + share * this.replay.duration;
  }

  draw(): void {
    const { canvas, context, replay } = this;
    const scale = devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const x = (time: number): number => (replay.duration ? ((time - replay.start) / replay.duration) * width : 0);
    const most = this.chunks.reduce((most, { density }) => Math.max(most, density), 1);
    context.fillStyle = colour("bar");
    this.chunks.forEach(({ start, density }, index) => {
      const tall = (density / most) * (height - 22);
      // The next chunk begins a tick later.
      const end = this.chunks[index + 1]?.start ?? replay.end;
      context.fillRect(x(start), height - 6 - tall, Math.max(x(end) - x(start), 1), tall);
    });
    context.fillStyle = colour("dim");
    for (const time of this.keyframes) context.fillRect(x(time), height - 6, 1.5, 6);
    context.fillStyle = colour("mark");
    for (const { time } of replay.markers) {
      const left = Math.min(Math.max(x(time), 5), width - 5);
      context.fillRect(left - 0.75, 9, 1.5, height - 15);
      context.beginPath();
      context.moveTo(left - 5, 1);
      context.lineTo(left + 5, 1);
      context.lineTo(left, 10);
      context.fill();
    }
    context.fillStyle = colour("accent");
    const now = x(replay.position);
    context.fillRect(Math.min(Math.max(now - 1, 0), width - 2), 0, 2, height);
    canvas.setAttribute("aria-valuenow", (replay.position - replay.start).toFixed(3));
    canvas.setAttribute("aria-valuetext", clock(replay.position - replay.start));
  }
}
