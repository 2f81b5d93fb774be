// Plots of chosen fields, and of the bytes by prefab and field, over the window around the position.

import uPlot from "uplot";
import type { NetworkObject, Replay } from "../src/replay.js";
import { at, clock, colour, make, seriesColour, size } from "./dom.js";
import { numberAt, type Plotted, type Samples, Scanner } from "./scan.js";

/** Most plots, and most purposes of bytes beside the rest. */
const MOST_PLOTS = 8;
const MOST_COSTS = 7;

/** Rest of the window before a scan, in milliseconds. */
const DELAY = 150;

const FONT = "11px system-ui, sans-serif";

/** Plots of a replay. */
export class Plots {
  private readonly scanner: Scanner;
  private readonly span = at<HTMLSelectElement>("span");
  private plotted: Plotted[] = [];
  private samples: Samples | undefined;
  private charts: uPlot[] = [];
  private cursors: { chart: uPlot; line: HTMLElement }[] = [];
  /** Window that is shown or on its way. */
  private wanted = "";
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly replay: Replay,
    private readonly seek: (time: number) => void,
    private readonly failed: (error: unknown) => void,
    visit: (objects: Iterable<NetworkObject>) => void,
  ) {
    this.scanner = new Scanner(replay, visit);
    this.span.addEventListener("change", () => this.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.show());
    new ResizeObserver(() => this.resize()).observe(at("plots-panel"));
  }

  has(id: number, place: string): boolean {
    return this.plotted.some((it) => it.id === id && it.place === place);
  }

  toggle(object: NetworkObject, place: string): void {
    if (this.has(object.id, place)) this.plotted = this.plotted.filter((it) => it.id !== object.id || it.place !== place);
    else this.plotted = [...this.plotted, { id: object.id, prefab: object.prefab.name, place }].slice(-MOST_PLOTS);
    this.wanted = "";
    this.draw();
  }

  /** Plots the first number of an object, so that a first look has a plot. */
  begin(): void {
    const objects = [...this.replay.objects.values()];
    const order = this.replay.header.schema.prefabs;
    for (const object of objects.sort((a, b) => order.indexOf(a.prefab) - order.indexOf(b.prefab) || a.id - b.id)) {
      for (const { name, schema } of object.behaviours) {
        const field = schema.fields.find((it) => numberAt(object, `${name}.${it.name}`) !== null && typeof object.get(name)!.fields[it.name] === "number");
        if (field) return this.toggle(object, `${name}.${field.name}`);
      }
    }
    this.draw();
  }

  /** Shows the window around the position, and the position. */
  draw(): void {
    const { replay } = this;
    const span = Number(this.span.value);
    const index = Math.floor((replay.position - replay.start) / span);
    const last = Math.max(Math.ceil(replay.duration / span) - 1, 0);
    const start = replay.start + Math.min(index, last) * span;
    const end = Math.min(start + span, replay.end);
    const wanted = `${start} ${span} ${end}`;
    if (wanted !== this.wanted) {
      this.wanted = wanted;
      // The work of a scan would slow the seeks of a pointer that drags.
      this.scanner.stop();
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.scan(start, end), DELAY);
    }
    for (const { chart, line } of this.cursors) {
      const left = chart.valToPos(replay.position - replay.start, "x");
      line.style.transform = `translateX(${left}px)`;
      line.hidden = !(left >= 0 && left <= chart.over.clientWidth);
    }
  }

  private scan(start: number, end: number): void {
    if (!this.samples) at("plots").replaceChildren(make("p", { className: "dim" }, "Reading the window…"));
    this.scanner.scan(start, end, this.plotted).then((samples) => {
      if (!samples) return;
      this.samples = samples;
      this.show();
    }, this.failed);
  }

  private resize(): void {
    for (const chart of this.charts) chart.setSize({ width: chart.root.parentElement!.clientWidth, height: chart.height });
    this.draw();
  }

  private show(): void {
    const { samples } = this;
    if (!samples) return;
    for (const chart of this.charts) chart.destroy();
    [this.charts, this.cursors] = [[], []];
    at("plots").replaceChildren();
    const { start } = this.replay;
    const times = samples.times.map((time) => time - start);
    this.plotted.forEach(({ id, prefab, place }, index) => {
      if (samples.values[index]?.length !== times.length) return;
      const stroke = seriesColour(index);
      const remove = make("button", { type: "button", title: "remove the plot", ariaLabel: `remove the plot of ${place}`, onclick: () => this.toggle({ id, prefab: { name: prefab } } as NetworkObject, place) }, "×");
      const title = make("h3", {}, make("i", { className: "swatch" }), `${prefab} #${id} `, make("b", {}, place), remove);
      (title.firstChild as HTMLElement).style.background = stroke;
      const box = make("div", { className: "chart" });
      at("plots").append(title, box);
      this.chart(box, 130, [times, samples.values[index]], [{ stroke, width: 1.5, paths: uPlot.paths.stepped!({ align: 1 }), points: { show: false } }], (value) => String(Number(value.toPrecision(4))));
    });
    if (!this.plotted.length) at("plots").append(make("p", { className: "dim" }, "Tick a box beside a field to plot it."));
    this.showBytes(samples);
    this.draw();
  }

  /** Shows the bytes as stacked areas, and their sums as a legend. */
  private showBytes({ bytes, buckets, start, end }: Samples): void {
    const sum = (all: number[]): number => all.reduce((total, it) => total + it, 0);
    const sorted = [...bytes].sort((a, b) => sum(b[1]) - sum(a[1]));
    const parts = sorted.slice(0, MOST_COSTS);
    const others = sorted.slice(MOST_COSTS);
    if (others.length) parts.push(["others", buckets.map((_, index) => others.reduce((total, [, all]) => total + all[index], 0))]);
    const width = (end - start) / buckets.length || 1;
    const below = buckets.map(() => 0);
    const stacked = parts.map(([, all]) => all.map((it, index) => (below[index] += it / width)));
    const series = parts.map((_, index) => ({ stroke: seriesColour(index), fill: seriesColour(index), width: 1, paths: uPlot.paths.stepped!({ align: 1 }), points: { show: false } }));
    at("bytes").replaceChildren();
    const box = make("div", { className: "chart" });
    at("bytes").append(box);
    // The last sum is the highest area: it is drawn first.
    // The last step reaches to the end of its bucket.
    const closed = stacked.reverse().map((all) => [...all, all[all.length - 1]]);
    this.chart(box, 160, [[...buckets, end].map((time) => time - this.replay.start), ...closed], series.reverse(), (value) => `${size(value)}/s`, true);
    const total = sum(parts.map(([, all]) => sum(all))) || 1;
    const rows = parts.map(([name, all], index) => {
      const swatch = make("i", { className: "swatch" });
      swatch.style.background = seriesColour(index);
      return make("tr", {}, make("td", {}, swatch, name), make("td", { className: "number" }, size(sum(all))), make("td", { className: "number" }, `${((100 * sum(all)) / total).toFixed(1)} %`));
    });
    at("costs").replaceChildren(...rows);
  }

  private chart(box: HTMLElement, height: number, data: (number | null)[][], series: uPlot.Series[], value: (value: number) => string, isFromZero = false): void {
    const axis = { stroke: colour("dim"), font: FONT, grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line"), width: 1, size: 4 } };
    const { replay, samples } = this;
    // The window of a file that is being written fills.
    const end = replay.header.isWhole ? samples!.end : samples!.start + Number(this.span.value);
    const chart = new uPlot(
      {
        width: box.clientWidth,
        height,
        legend: { show: false },
        scales: { x: { time: false, range: [samples!.start - replay.start, end - replay.start || 1] }, ...(isFromZero && { y: { range: (_, __, high) => [0, high * 1.1 || 1] } }) },
        axes: [
          { ...axis, size: 28, values: (_, all) => all.map((it) => clock(it, it % 1 ? (Number.isInteger(it * 10) ? 1 : 2) : 0)) },
          { ...axis, size: 64, values: (_, all) => all.map(value) },
        ],
        cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
        series: [{}, ...series],
      },
      data as uPlot.AlignedData,
      box,
    );
    const line = make("div", { className: "cursor" });
    chart.over.append(line);
    chart.over.addEventListener("click", () => this.seek(replay.start + chart.posToVal(chart.cursor.left ?? 0, "x")));
    this.charts.push(chart);
    this.cursors.push({ chart, line });
  }
}
