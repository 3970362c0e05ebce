import { plotColour, type Colour, css } from "./colours.ts";
import { firstFrom, firstGroups, type Group, groups, positiveRange, rangeOf, shortName, spansDecades, valueAt } from "./curves.ts";
import { element, fill } from "./dom.ts";
import type { CurveHead } from "./header.ts";
import { linearTicks, logTicks, readable, tickLabels } from "./ticks.ts";

const MARGIN = { left: 46, right: 8, top: 5, bottom: 18 };
/** Curves in one plot. */
const MOST_CURVES = 8;

export interface CurveData {
    heads: CurveHead[];
    times: Float64Array;
    values: Float32Array[];
}

/** The plots below the picture. Time is their axis and their cursor. */
export class Plots {
    private plots: Plot[] = [];
    private readonly groups: { together: Group[]; alone: Group[] };
    private readonly adder = element("button", { id: "add-plot", title: "Add a plot", "aria-label": "Add a plot" }, "+");
    private time = 0;

    constructor(
        private readonly home: HTMLElement,
        private readonly data: CurveData,
        private readonly seek: (time: number) => void,
    ) {
        this.groups = groups(data.heads);
        home.append(this.adder);
        this.adder.addEventListener("click", () => this.add(this.unused()));
        for (const group of firstGroups(this.groups.together, 4)) this.add(group);
        if (this.plots.length === 0) this.add(this.unused());
        new ResizeObserver(() => this.redraw()).observe(home);
    }

    static fits(data: CurveData): boolean {
        return data.heads.length > 0 && data.times.length > 1;
    }

    setTime(time: number): void {
        this.time = time;
        for (const plot of this.plots) plot.setTime(time);
    }

    redraw(): void {
        for (const plot of this.plots) plot.redraw();
    }

    private unused(): Group {
        const shown = new Set(this.plots.map((plot) => plot.group.title));
        return [...this.groups.together, ...this.groups.alone].find((group) => !shown.has(group.title)) ?? this.groups.alone[0];
    }

    private add(group: Group): void {
        const plot = new Plot(this.data, this.groups, group, this.seek, () => this.remove(plot));
        this.plots.push(plot);
        this.home.insertBefore(plot.root, this.adder);
        plot.setTime(this.time);
        plot.redraw();
    }

    private remove(plot: Plot): void {
        this.plots = this.plots.filter((other) => other !== plot);
        plot.root.remove();
        this.redraw();
    }
}

class Plot {
    readonly root = element("div", { class: "plot" });
    private readonly names = element("div", { class: "names" });
    private readonly unit = element("span", { class: "unit" });
    private readonly logButton = element("button", { title: "Logarithmic axis", "aria-label": "Logarithmic axis" }, "log");
    private readonly curves = element("canvas");
    private readonly cursor = element("canvas");
    private readonly readings: HTMLElement[] = [];
    private logarithmic = false;
    private time = 0;
    private range: [number, number] = [0, 1];
    private canLog = false;
    private width = 1;
    private height = 1;

    constructor(
        private readonly data: CurveData,
        choices: { together: Group[]; alone: Group[] },
        public group: Group,
        private readonly seek: (time: number) => void,
        close: () => void,
    ) {
        const closer = element("button", { title: "Remove this plot", "aria-label": "Remove this plot" }, "✕");
        closer.addEventListener("click", close);
        this.logButton.addEventListener("click", () => {
            this.logarithmic = !this.logarithmic && this.canLog;
            this.measure();
            this.redraw();
        });
        const head = element("div", { class: "head" }, this.chooser(choices), this.unit, this.logButton, closer);
        this.root.append(head, this.names, element("div", { class: "chart" }, this.curves, this.cursor));
        this.cursor.addEventListener("pointerdown", (event) => {
            this.cursor.setPointerCapture(event.pointerId);
            this.seekTo(event);
        });
        this.cursor.addEventListener("pointermove", (event) => {
            if (event.buttons > 0) this.seekTo(event);
        });
        this.show(group);
    }

    private chooser(choices: { together: Group[]; alone: Group[] }): HTMLSelectElement {
        const made = element("select", { "aria-label": "What the plot shows" });
        const all = [...choices.together, ...choices.alone];
        fill(made, [], "");
        const options = (label: string, list: Group[], first: number) => {
            const items = list.map((group, index) => element("option", { value: `${first + index}` }, group.title));
            return element("optgroup", { label }, ...items);
        };
        if (choices.together.length > 0) made.append(options("Groups", choices.together, 0));
        made.append(options("Single curves", choices.alone, choices.together.length));
        made.value = `${all.indexOf(this.group)}`;
        made.addEventListener("change", () => {
            this.show(all[Number(made.value)]);
            this.redraw();
            made.blur();
        });
        return made;
    }

    private show(group: Group): void {
        this.group = { title: group.title, curves: group.curves.slice(0, MOST_CURVES) };
        const heads = this.group.curves.map((curve) => this.data.heads[curve]);
        this.unit.textContent = heads[0]?.unit ? `in ${heads[0].unit}` : "";
        const all = heads.map((head) => head.name);
        this.readings.length = 0;
        const keys = heads.map((head, index) => {
            const colour = element("i");
            colour.style.background = curveColour(index);
            const reading = element("b");
            this.readings.push(reading);
            const name = heads.length > 1 ? shortName(head.name, all) : "";
            return element("span", { class: "key", title: `${head.name}: ${head.meaning}` }, colour, name, reading);
        });
        this.names.classList.toggle("two", keys.length > 3);
        this.names.replaceChildren(...keys);
        const shown = this.shown();
        this.canLog = positiveRange(shown)?.allPositive ?? false;
        this.logarithmic = this.canLog && spansDecades(shown);
        this.measure();
        this.read();
    }

    private shown(): Float32Array[] {
        return this.group.curves.map((curve) => this.data.values[curve]);
    }

    private measure(): void {
        this.logButton.hidden = !this.canLog;
        this.logButton.setAttribute("aria-pressed", `${this.logarithmic}`);
        const shown = this.shown();
        if (this.logarithmic) {
            const found = positiveRange(shown);
            this.range = found ? [found.low / 1.3, found.high * 1.3] : [0.1, 1];
            return;
        }
        const [low, high] = rangeOf(shown);
        const room = 0.06 * (high - low) || Math.abs(high) * 0.1 || 1;
        this.range = [low >= 0 && low < 0.3 * high ? 0 : low - room, high + room];
    }

    setTime(time: number): void {
        this.time = time;
        this.read();
        this.drawCursor();
    }

    private read(): void {
        this.group.curves.forEach((curve, index) => {
            this.readings[index].textContent = readable(valueAt(this.data.times, this.data.values[curve], this.time));
        });
    }

    redraw(): void {
        [this.width, this.height] = [this.curves.clientWidth, this.curves.clientHeight];
        const pen = this.prepare(this.curves);
        if (!pen) return;
        const style = getComputedStyle(document.documentElement);
        this.names.querySelectorAll("i").forEach((key, index) => (key.style.background = curveColour(index)));
        this.drawAxes(pen, style.getPropertyValue("--faint"), style.getPropertyValue("--soft"));
        this.group.curves.forEach((curve, index) => this.drawCurve(pen, this.data.values[curve], curveColour(index)));
        this.drawCursor();
    }

    private drawAxes(pen: CanvasRenderingContext2D, line: string, ink: string): void {
        const { width, height } = this;
        const { times } = this.data;
        const [low, high] = this.range;
        const about = Math.max(2, Math.floor(height / 34));
        const powers = this.logarithmic ? logTicks(low, high, about) : [];
        const values = powers.length > 1 ? powers : linearTicks(low, high, about);
        const labels = powers.length > 1 ? powers.map((tick) => readable(tick)) : tickLabels(values);
        pen.font = "10.5px system-ui, sans-serif";
        pen.fillStyle = ink;
        pen.strokeStyle = line;
        pen.textAlign = "right";
        pen.textBaseline = "middle";
        values.forEach((tick, index) => {
            const y = this.y(tick);
            stroke(pen, [MARGIN.left, y, width - MARGIN.right, y]);
            pen.fillText(labels[index], MARGIN.left - 6, y);
        });
        pen.textAlign = "center";
        pen.textBaseline = "alphabetic";
        const ticks = linearTicks(times[0], times[times.length - 1], Math.max(2, Math.floor(width / 80)));
        tickLabels(ticks).forEach((label, index) => {
            const x = Math.min(width - 14, this.x(ticks[index]));
            pen.fillText(index === ticks.length - 1 ? `${label} s` : label, x, height - 4);
        });
    }

    private drawCurve(pen: CanvasRenderingContext2D, values: Float32Array, colour: string): void {
        pen.strokeStyle = colour;
        pen.lineWidth = 1.6;
        pen.lineJoin = "round";
        pen.beginPath();
        let drawing = false;
        for (let i = 0; i < values.length; i++) {
            const known = Number.isFinite(values[i]) && (!this.logarithmic || values[i] > 0);
            if (known && drawing) pen.lineTo(this.x(this.data.times[i]), this.y(values[i]));
            else if (known) pen.moveTo(this.x(this.data.times[i]), this.y(values[i]));
            drawing = known;
        }
        pen.stroke();
        pen.lineWidth = 1;
    }

    private drawCursor(): void {
        const pen = this.prepare(this.cursor);
        if (!pen) return;
        const style = getComputedStyle(document.documentElement);
        pen.strokeStyle = style.getPropertyValue("--soft");
        const x = this.x(this.time);
        stroke(pen, [x, MARGIN.top, x, this.height - MARGIN.bottom]);
        this.group.curves.forEach((curve, index) => {
            const value = valueAt(this.data.times, this.data.values[curve], this.time);
            if (!Number.isFinite(value) || (this.logarithmic && value <= 0)) return;
            pen.fillStyle = curveColour(index);
            pen.strokeStyle = style.getPropertyValue("--card");
            pen.beginPath();
            pen.arc(x, this.y(value), 3.6, 0, 2 * Math.PI);
            pen.fill();
            pen.stroke();
        });
    }

    /** An empty canvas as large as it is shown; undefined while it is not shown. */
    private prepare(canvas: HTMLCanvasElement): CanvasRenderingContext2D | undefined {
        const { width, height } = this;
        const pen = canvas.getContext("2d");
        if (width < 2 || height < 2 || !pen) return undefined;
        const ratio = Math.min(3, window.devicePixelRatio || 1);
        const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
        if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        pen.clearRect(0, 0, width, height);
        pen.lineWidth = 1;
        return pen;
    }

    private x(time: number): number {
        const { times } = this.data;
        const { width } = this;
        const share = (time - times[0]) / (times[times.length - 1] - times[0] || 1);
        return MARGIN.left + Math.min(1, Math.max(0, share)) * (width - MARGIN.left - MARGIN.right);
    }

    private y(value: number): number {
        const { height } = this;
        const [low, high] = this.range;
        const share = this.logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
        return height - MARGIN.bottom - share * (height - MARGIN.top - MARGIN.bottom);
    }

    private seekTo(event: PointerEvent): void {
        const { times } = this.data;
        const { width } = this;
        const share = (event.offsetX - MARGIN.left) / (width - MARGIN.left - MARGIN.right);
        const time = times[0] + Math.min(1, Math.max(0, share)) * (times[times.length - 1] - times[0]);
        this.seek(time);
    }
}

/** Readable on light and dark ground. */
function curveColour(index: number): string {
    const lift = document.documentElement.classList.contains("dark") ? 0.28 : 0;
    return css(plotColour(index).map((part) => part + lift * (1 - part)) as Colour);
}

function stroke(pen: CanvasRenderingContext2D, [ax, ay, bx, by]: [number, number, number, number]): void {
    pen.beginPath();
    pen.moveTo(ax, ay);
    pen.lineTo(bx, by);
    pen.stroke();
}

/** The frame nearest to a time. */
export function nearestFrame(times: ArrayLike<number>, time: number): number {
    const after = Math.min(times.length - 1, firstFrom(times, time));
    return after > 0 && time - times[after - 1] < times[after] - time ? after - 1 : after;
}
