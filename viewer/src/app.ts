import { Vector3, Vector4 } from "three";
import { Bar } from "./bar.ts";
import { fillCard } from "./card.ts";
import { categoryPixels, type MapName, mapPixels, ofHex, REGIMES, valueColour } from "./colours.ts";
import { byId, memory } from "./dom.ts";
import { filmRange, nameOf, numbersOf, ofBodies, type Quantity, quantities, quantityOf } from "./fields.ts";
import type { Contacts, Film } from "./film.ts";
import { fillHelp } from "./help.ts";
import { showLegend } from "./legend.ts";
import { linkText, parseLink } from "./link.ts";
import { type Pick, pickOf, placeOf } from "./picking.ts";
import { Playback } from "./playback.ts";
import { nearestFrame, Plots } from "./plots.ts";
import { rangeOf } from "./curves.ts";
import { firstSettings, Panel } from "./settings.ts";
import { type Actor, Stage } from "./stage.ts";
import { View } from "./view.ts";

/** Arrows of the largest force are at first so long, as a share of the size of the bodies. */
const ARROW = 0.25;

/** The page: it holds its parts together. */
export class App {
    readonly playback: Playback;
    /** The frame that is seen; −1 before the first. */
    frame = -1;
    /** How many times the picture was drawn. */
    drawn = 0;
    readonly settings = firstSettings();
    view?: View;
    private stage?: Stage;
    private panel?: Panel;
    private plots?: Plots;
    private readonly bar: Bar;
    private readonly times: number[];
    private wanted = 0;
    private waiting = false;
    private positions: Float32Array = new Float32Array();
    private contacts?: Contacts;
    private picked?: Pick;
    private pickedAt?: Vector3;
    private last = 0;
    private linked = "";

    constructor(
        readonly film: Film,
        private readonly fail: (error: unknown) => void,
    ) {
        const { header } = film;
        this.times = header.frames.map(([, time]) => time);
        this.playback = new Playback(this.times);
        this.bar = new Bar(byId("bar"), this.playback, header.frames, {
            toggle: () => this.toggle(),
            seek: (frame) => this.seek(frame),
            step: (by) => this.step(by),
            loop: () => {
                this.playback.loop = !this.playback.loop;
                this.bar.update();
            },
            speed: (value) => {
                this.playback.speed = value;
                this.bar.update();
            },
        });
        byId("title").textContent = header.title || "Untitled run";
        byId("note").textContent = thinningNote(film);
        fillHelp(byId("help"));
    }

    async start(): Promise<void> {
        this.theme(memory.get("theme"));
        this.connectButtons();
        this.connectKeys();
        void this.show(0);
        await this.startPlots();
        requestAnimationFrame((now) => this.tick(now));
        try {
            this.view = new View(byId<HTMLCanvasElement>("canvas"), this.film.header);
        } catch {
            throw new Error("the picture needs WebGL 2, which this browser does not offer; plots and times work all the same");
        }
        await this.startPicture(this.view);
    }

    private async startPlots(): Promise<void> {
        const { times, values } = await this.film.curves();
        const data = { heads: this.film.header.curves, times, values };
        const fits = Plots.fits(data);
        byId("plots-toggle").hidden = !fits;
        if (!fits) this.toggleClass("no-plots", true);
        else this.plots = new Plots(byId("plots"), data, (time) => this.seek(nearestFrame(this.times, time)));
        this.plots?.setTime(this.times[0]);
    }

    private async startPicture(view: View): Promise<void> {
        const { film } = this;
        const link = parseLink(location.hash);
        this.wanted = Math.min(link.frame ?? 0, film.count - 1);
        this.playback.seek(this.wanted);
        const [{ triangles, edges }, first] = await Promise.all([film.mesh(), film.positions(0)]);
        const stage = new Stage(film.header, triangles, edges, first, view.radius);
        this.stage = stage;
        if (link.field && quantityOf(film.header, link.field)) this.settings.colour = link.field;
        if (window.innerWidth < 1000 || window.innerHeight < 480) this.toggleClass("no-panel", true);
        this.theme(memory.get("theme"));
        const side = (axis: number) => view.camera.position.getComponent(axis) - view.controls.target.getComponent(axis);
        const changeActor = (actor: Actor) => {
            stage.setActor(actor);
            this.changed();
        };
        this.panel = new Panel(byId("panel"), film.header, this.settings, () => this.changed(), side, stage.actors, changeActor);
        view.resize();
        view.home();
        if (link.camera) view.pose = link.camera;
        this.connectPointer(view);
        await this.show(this.wanted);
        this.changed();
        document.documentElement.dataset.state = "ready";
    }

    // --- time

    seek(frame: number): void {
        this.playback.seek(frame);
        this.wanted = this.playback.frame;
        void this.show(this.wanted);
    }

    step(by: number): void {
        this.playback.playing = false;
        this.bar.update();
        this.seek(Math.max(0, Math.min(this.film.count - 1, this.frame + by)));
    }

    toggle(): void {
        this.playback.toggle();
        this.bar.update();
    }

    private tick(now: number): void {
        const seconds = Math.min(0.25, (now - this.last) / 1000);
        this.last = now;
        if (this.playback.playing && !this.waiting) {
            this.playback.advance(seconds);
            if (this.playback.frame !== this.wanted) {
                this.wanted = this.playback.frame;
                void this.show(this.wanted);
            }
            if (!this.playback.playing) this.bar.update();
        }
        this.draw();
        requestAnimationFrame((next) => this.tick(next));
    }

    private draw(): void {
        const { view, stage } = this;
        if (!view || !stage || !view.draw(stage, color("--view"))) return;
        this.drawn++;
        this.drawAxes(view);
        this.placeRing(view);
        this.writeLink(view);
    }

    /** Shows a frame, at once where it is decoded already. */
    private async show(frame: number): Promise<void> {
        if (!this.stage) {
            // Without a picture, plots still follow the time.
            this.frame = frame;
            this.bar.show(frame);
            this.plots?.setTime(this.times[frame]);
            return;
        }
        const fields = this.fieldsNeeded();
        this.film.wanted = frame;
        if (!this.ready(frame, fields)) {
            this.waiting = true;
            try {
                await Promise.all([this.film.positions(frame), this.film.contacts(frame), ...fields.map((field) => this.film.values(field, frame))]);
            } catch (error) {
                this.playback.playing = false;
                this.fail(error);
            }
            this.waiting = false;
        }
        if (frame === this.wanted && this.ready(frame, fields)) this.apply(frame);
        this.fetchAhead(frame, fields);
    }

    private ready(frame: number, fields: number[]): boolean {
        return [-1, ...fields].every((field) => this.film.ready(frame, field) !== undefined);
    }

    /** Decodes the next chunk while this one plays. */
    private fetchAhead(frame: number, fields: number[]): void {
        const { chunk } = this.film.header;
        const next = (frame + chunk - 2) % this.film.count;
        if (frame % chunk < 2 || Math.floor(next / chunk) === Math.floor(frame / chunk)) return;
        const wanted: Promise<unknown>[] = [this.film.positions(next), this.film.contacts(next), ...fields.map((field) => this.film.values(field, next))];
        for (const one of wanted) one.catch(this.fail);
    }

    private fieldsNeeded(): number[] {
        const shown = [this.quantity, this.contactQuantity].map((quantity) => quantity?.field);
        return shown.filter((field) => field !== undefined);
    }

    private apply(frame: number): void {
        const ready = this.film.ready(frame, -1);
        if (!ready || !this.stage) return;
        if (frame !== this.frame && this.picked?.kind === "contact") this.unpick();
        this.frame = frame;
        this.positions = ready.positions;
        this.contacts = ready.contacts;
        this.stage.setPositions(ready.positions);
        this.paint(frame);
        this.paintContacts(frame);
        this.bar.show(frame);
        this.plots?.setTime(this.times[frame]);
        this.showPick();
        this.view?.redraw();
    }

    // --- colours

    private get quantity(): Quantity | undefined {
        return this.settings.colour === "body" ? undefined : quantityOf(this.film.header, this.settings.colour);
    }

    private get contactQuantity(): Quantity | undefined {
        return this.settings.contactColour === "regime" ? undefined : quantityOf(this.film.header, this.settings.contactColour);
    }

    private paint(frame: number): void {
        const { quantity, stage } = this;
        if (!stage) return;
        if (!quantity) {
            stage.setValues(undefined, { mode: 0, categories: false, range: [0, 1] });
            this.panel?.explain("", [0, 1], false);
            byId("legend").hidden = true;
            return;
        }
        const head = this.film.header.fields[quantity.field];
        const values = this.film.ready(frame, quantity.field)?.values;
        if (!values) return;
        const numbers = numbersOf(values, head.components, quantity.part);
        const mode = head.place === "triangles" ? 2 : 1;
        const title = nameOf(this.film.header, quantity) + (head.unit ? ` in ${head.unit}` : "");
        if (head.categories.length > 0) {
            stage.setColours(categoryPixels(head.categories.length, 256).slice());
            // The number of a category is the number of its pixel.
            stage.setValues(numbers, { mode, categories: true, range: [0, 255] });
            showLegend(byId("legend"), title, { categories: head.categories });
            this.panel?.explain(head.meaning, [0, 1], true);
            return;
        }
        const range = this.range(quantity, numbers);
        const map = this.map(range);
        stage.setColours(mapPixels(map, 256));
        stage.setValues(numbers, { mode, categories: false, range });
        showLegend(byId("legend"), title, { map, range, gaps: numbers.some(Number.isNaN) });
        this.panel?.explain(head.meaning, range, false);
    }

    /** Values of both signs have a range about zero, and a map with two ends. */
    private range(quantity: Quantity, numbers: Float32Array): [number, number] {
        const { range } = this.settings;
        if (Array.isArray(range)) return [...range];
        const [low, high] = range === "frame" ? rangeOf(ofBodies(this.film.header, this.film.header.fields[quantity.field].place, numbers)) : filmRange(this.film.header, quantity);
        const largest = Math.max(-low, high);
        return bothSigns(low, high) ? [-largest, largest] : [low, high > low ? high : low + (Math.abs(low) * 1e-3 || 1)];
    }

    private map([low, high]: [number, number]): MapName {
        if (this.settings.map !== "auto") return this.settings.map;
        return bothSigns(low, high) ? "cool–warm" : "viridis";
    }

    private paintContacts(frame: number): void {
        const { stage, contacts, contactQuantity: quantity } = this;
        if (!stage || !contacts) return;
        const tints = new Float32Array(3 * contacts.count);
        const values = quantity && this.film.ready(frame, quantity.field)?.values;
        const numbers = quantity && values && numbersOf(values, this.film.header.fields[quantity.field].components, quantity.part);
        const range: [number, number] = quantity ? filmRange(this.film.header, quantity) : [0, 1];
        const categories = quantity !== undefined && this.film.header.fields[quantity.field].categories.length > 0;
        const tint = { categories, map: this.map(range), range, missing: ofHex(color("--missing").replace("#", "")) };
        for (let i = 0; i < contacts.count; i++) {
            const colour = numbers ? valueColour(numbers[i], tint) : REGIMES[contacts.regimes[i]];
            tints.set(colour ?? REGIMES[0], 3 * i);
        }
        stage.lengthPerForce = ((ARROW * (this.view?.radius ?? 1)) / (this.film.header.contacts.largest_force || 1)) * 2 ** this.settings.arrowSize;
        stage.setContacts(contacts, tints, this.settings.forces, (thing) => stage.actors[thing]?.visible ?? true);
        stage.showContacts(this.settings.dots, this.settings.forces !== "none");
    }

    /** Applies the settings. */
    changed(): void {
        this.panel?.update();
        this.stage?.setLines(this.settings.lines ? 0.22 : 0);
        this.stage?.setSection(this.sectionPlane());
        if (this.frame >= 0) void this.show(this.wanted);
        this.view?.redraw();
    }

    private sectionPlane(): Vector4 | undefined {
        const { on, axis, place, flip } = this.settings.section;
        if (!on) return undefined;
        const { bounds, centre } = this.film.header;
        const [low, high] = [bounds.low[axis] - centre[axis], bounds.high[axis] - centre[axis]];
        const normal = new Vector3().setComponent(axis, flip ? -1 : 1);
        const at = low + place * (high - low);
        return new Vector4(normal.x, normal.y, normal.z, flip ? -at : at);
    }

    // --- picking

    private connectPointer(view: View): void {
        const canvas = byId<HTMLCanvasElement>("canvas");
        let down: { x: number; y: number } | undefined;
        canvas.addEventListener("pointerdown", (event) => (down = event.isPrimary && event.button === 0 ? { x: event.clientX, y: event.clientY } : undefined));
        canvas.addEventListener("pointerup", (event) => {
            const still = down && Math.hypot(event.clientX - down.x, event.clientY - down.y) < 5;
            if (still) this.pickAt(view, event.offsetX, event.offsetY);
            down = undefined;
        });
        canvas.addEventListener("dblclick", () => {
            if (!this.pickedAt) return;
            const shift = this.pickedAt.clone().sub(view.controls.target);
            view.controls.target.add(shift);
            if (this.film.header.dimension === 2) view.camera.position.add(shift);
            view.redraw();
        });
    }

    private pickAt(view: View, x: number, y: number): void {
        const { stage } = this;
        if (!stage) return;
        const ray = view.ray(x, y);
        this.picked = pickOf(view.pick(stage, x, y), stage, this.film.header, this.positions, ray);
        this.showPick();
    }

    private unpick(): void {
        this.picked = undefined;
        this.showPick();
    }

    private showPick(): void {
        const { picked, stage, contacts } = this;
        this.pickedAt = picked && stage && contacts ? placeOf(picked, stage, this.positions, contacts.points) : undefined;
        this.view?.redraw();
        if (!picked || !this.pickedAt) {
            byId("card").hidden = true;
            return;
        }
        const place = this.pickedAt.toArray().map((x, axis) => x + this.film.header.centre[axis]);
        fillCard(byId("card"), this.film, picked, this.frame, place, () => this.unpick()).catch(this.fail);
    }

    private placeRing(view: View): void {
        const ring = byId("ring");
        const pixel = this.pickedAt && view.pixel(this.pickedAt);
        ring.hidden = !pixel;
        if (pixel) [ring.style.left, ring.style.top] = [`${pixel[0]}px`, `${pixel[1]}px`];
    }

    private drawAxes(view: View): void {
        const parts = ["x", "y", "z"].slice(0, this.film.header.dimension).map((name, axis) => {
            const tip = new Vector3().setComponent(axis, 1).transformDirection(view.camera.matrixWorldInverse);
            const colour = ["#d9605b", "#4f9e5f", "#4c78d8"][axis];
            const [x, y] = [tip.x * 24, -tip.y * 24];
            const line = `<path d="M0 0L${x.toFixed(2)} ${y.toFixed(2)}" stroke="${colour}" stroke-width="2.4" stroke-linecap="round"/>`;
            const label = `<text x="${(x * 1.36).toFixed(2)}" y="${(y * 1.36 + 3.6).toFixed(2)}" text-anchor="middle" fill="${colour}">${name}</text>`;
            return { depth: tip.z, text: line + label };
        });
        byId("axes").innerHTML = parts.sort((a, b) => a.depth - b.depth).map((part) => part.text).join("");
    }

    // --- page

    private connectButtons(): void {
        const click = (id: string, act: () => void) => byId(id).addEventListener("click", act);
        click("fit", () => this.view?.fit());
        click("panel-toggle", () => this.toggleClass("no-panel"));
        click("plots-toggle", () => this.toggleClass("no-plots"));
        click("theme", () => this.toggleTheme());
        click("help-toggle", () => (byId("help").hidden = !byId("help").hidden));
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.theme(memory.get("theme")));
        new ResizeObserver(() => this.view?.redraw()).observe(byId("view"));
        this.toggleClass("no-panel", false);
        this.toggleClass("no-plots", false);
    }

    private toggleClass(name: "no-panel" | "no-plots", to?: boolean): void {
        const hidden = byId("app").classList.toggle(name, to);
        byId(name === "no-panel" ? "panel-toggle" : "plots-toggle").setAttribute("aria-pressed", `${!hidden}`);
        if (name === "no-plots" && !hidden) this.plots?.redraw();
    }

    private toggleTheme(): void {
        const theme = document.documentElement.classList.contains("dark") ? "light" : "dark";
        memory.set("theme", theme);
        this.theme(theme);
    }

    /** Dark, light, or as the system has it. */
    private theme(theme: string | null): void {
        const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
        document.documentElement.classList.toggle("dark", dark);
        this.stage?.setTheme(color("--view"), color("--missing"), dark);
        this.plots?.redraw();
        this.view?.redraw();
    }

    private connectKeys(): void {
        document.addEventListener("keydown", (event) => this.key(event));
        // What was clicked keeps no keys for itself; what was reached with the keyboard does.
        document.addEventListener("pointerup", () => {
            const focused = document.activeElement;
            if (focused instanceof HTMLElement && focused.matches("button, input[type=range]")) focused.blur();
        });
    }

    private key(event: KeyboardEvent): void {
        if (event.ctrlKey || event.metaKey || event.altKey || ownsKey(event.target, event.key)) return;
        const act = this.actions(event)[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (!act) return;
        event.preventDefault();
        act();
    }

    private actions(event: KeyboardEvent): Record<string, () => void> {
        const { settings, playback } = this;
        const set = (act: () => void) => () => {
            act();
            this.changed();
        };
        const faster = (factor: number) => () => {
            playback.faster(factor);
            this.bar.update();
        };
        const stride = event.shiftKey ? 10 : 1;
        return {
            " ": () => this.toggle(),
            ArrowRight: () => this.step(stride),
            ArrowLeft: () => this.step(-stride),
            Home: () => this.seek(0),
            End: () => this.seek(this.film.count - 1),
            "+": faster(2),
            "=": faster(2),
            "-": faster(0.5),
            l: () => {
                playback.loop = !playback.loop;
                this.bar.update();
            },
            f: () => this.view?.fit(),
            1: () => this.view?.along(0),
            2: () => this.view?.along(1),
            3: () => this.view?.along(2),
            c: set(() => (settings.colour = this.nextColour())),
            a: set(() => (settings.forces = settings.forces === "none" ? "total" : "none")),
            k: set(() => (settings.dots = !settings.dots)),
            m: set(() => (settings.lines = !settings.lines)),
            x: () => {
                settings.section.on = !settings.section.on && this.film.header.dimension === 3;
                this.panel?.openSection();
            },
            p: () => this.toggleClass("no-plots"),
            s: () => this.toggleClass("no-panel"),
            d: () => this.toggleTheme(),
            "?": () => (byId("help").hidden = !byId("help").hidden),
            Escape: () => {
                if (byId("help").hidden) this.unpick();
                byId("help").hidden = true;
            },
        };
    }

    private nextColour(): string {
        const all = ["body", ...quantities(this.film.header, ["vertices", "triangles"]).map(([key]) => key)];
        return all[(all.indexOf(this.settings.colour) + 1) % all.length];
    }

    /** Keeps the address of the page a link to what is seen; not where there is no address, as in notebooks. */
    private writeLink(view: View): void {
        if (this.playback.playing || location.protocol === "about:") return;
        const text = linkText({ frame: this.frame, field: this.settings.colour, camera: view.pose });
        if (text === this.linked) return;
        this.linked = text;
        clearTimeout(this.linkTimer);
        this.linkTimer = window.setTimeout(() => {
            try {
                history.replaceState(null, "", text);
            } catch {
                // Some frames may not have an address of their own.
            }
        }, 400);
    }

    private linkTimer = 0;
}

function bothSigns(low: number, high: number): boolean {
    return low < 0 && high > 0 && Math.min(-low, high) > 0.02 * Math.max(-low, high);
}

/** Whether an element of the page does something of its own with a key. */
function ownsKey(target: EventTarget | null, key: string): boolean {
    if (target instanceof HTMLInputElement && target.type === "number") return true;
    if (target instanceof HTMLSelectElement) return key !== "Escape";
    const owns = target instanceof HTMLInputElement || target instanceof HTMLButtonElement;
    return owns && [" ", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(key);
}

function color(name: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function thinningNote(film: Film): string {
    const { film_frames: all, triangles, steps } = film.header;
    const size = triangles > 0 ? `${triangles.toLocaleString("en")} triangles` : "";
    const thinned = film.count < all ? `${film.count} of ${all} frames` : `${all} ${all === 1 ? "frame" : "frames"}`;
    return [size, thinned, steps > 0 ? `${steps.toLocaleString("en")} steps` : ""].filter(Boolean).join(" · ");
}
