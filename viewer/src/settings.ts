import { css, type MapName, MAP_NAMES, REGIME_NAMES, REGIMES } from "./colours.ts";
import { checkbox, element, select, slider } from "./dom.ts";
import { quantities, words } from "./fields.ts";
import type { Header } from "./header.ts";
import type { Actor, ForceKind } from "./stage.ts";

/** What people choose about the picture. */
export interface Settings {
    colour: string;
    map: MapName | "auto";
    /** Of the whole run, of each frame, or as typed. */
    range: "run" | "frame" | [number, number];
    contactColour: string;
    dots: boolean;
    forces: ForceKind;
    /** Exponent of two by which arrows are longer than at first. */
    arrowSize: number;
    lines: boolean;
    section: { on: boolean; axis: number; place: number; flip: boolean };
}

export function firstSettings(): Settings {
    return {
        colour: "body",
        map: "auto",
        range: "run",
        contactColour: "regime",
        dots: false,
        forces: "none",
        arrowSize: 0,
        lines: true,
        section: { on: false, axis: 0, place: 0.5, flip: false },
    };
}

/** The panel in which they choose. `change` is called after every choice. */
export class Panel {
    private readonly colour: HTMLSelectElement;
    private readonly lines: { row: HTMLElement; input: HTMLInputElement };
    private readonly dots: { row: HTMLElement; input: HTMLInputElement };
    private readonly forces: HTMLSelectElement;
    private readonly section: { row: HTMLElement; input: HTMLInputElement };
    private readonly flip = checkbox("Other side", false, () => undefined);
    private readonly sectionRows = element("div");
    private readonly mapRows = element("div");
    private readonly meaning = element("p", { id: "meaning" });
    private readonly low: HTMLInputElement;
    private readonly high: HTMLInputElement;
    private readonly range: HTMLSelectElement;

    constructor(
        home: HTMLElement,
        private readonly header: Header,
        private readonly settings: Settings,
        private readonly change: () => void,
        private readonly cameraSide: (axis: number) => number,
        actors: Actor[],
        changeActor: (actor: Actor) => void,
    ) {
        const set = <K extends keyof Settings>(key: K) => (value: Settings[K]) => {
            settings[key] = value;
            change();
        };
        const choices: [string, string][] = [["body", "Body"], ...quantities(header, ["vertices", "triangles"])];
        this.colour = select("Colour by", choices, settings.colour, set("colour"));
        this.colour.id = "colour";
        this.low = this.limit(0);
        this.high = this.limit(1);
        this.range = select("Range", [["run", "whole run"], ["frame", "this frame"], ["own", "custom"]], "run", (value) => this.chooseRange(value));
        this.lines = checkbox("Mesh lines", settings.lines, set("lines"));
        this.dots = checkbox("Contact points", settings.dots, set("dots"));
        const kinds: [string, string][] = [["none", "none"], ["total", "total"], ["normal", "normal"], ["friction", "friction"], ["both", "normal, friction"]];
        this.forces = select("Force arrows", kinds, settings.forces, (value) => set("forces")(value as ForceKind));
        this.forces.id = "forces";
        this.section = checkbox("Section plane", false, (on) => {
            settings.section.on = on;
            this.openSection();
        });
        this.section.input.id = "section";
        this.lines.input.id = "lines";
        this.dots.input.id = "dots";
        home.append(heading("Colour"), this.colour, this.mapChoices(), this.meaning);
        home.append(heading("Bodies"), ...actors.map((actor) => bodyRow(actor, changeActor)));
        home.append(heading("Contacts"), this.dots.row, row("Arrows", this.forces), ...this.contactChoices());
        home.append(heading("View"), this.lines.row);
        if (header.dimension === 3) home.append(this.section.row, this.sectionChoices());
        this.update();
    }

    /** Shows the settings as they are now. */
    update(): void {
        const { settings } = this;
        this.colour.value = settings.colour;
        this.lines.input.checked = settings.lines;
        this.dots.input.checked = settings.dots;
        this.forces.value = settings.forces;
        this.section.input.checked = settings.section.on;
        this.flip.input.checked = settings.section.flip;
        this.sectionRows.hidden = !settings.section.on;
        this.mapRows.hidden = settings.colour === "body";
        const own = Array.isArray(settings.range);
        this.range.value = own ? "own" : (settings.range as string);
        this.low.disabled = this.high.disabled = !own;
    }

    /** Shows what the colours mean. */
    explain(meaning: string, range: [number, number], categories: boolean): void {
        this.meaning.textContent = meaning;
        if (categories) this.mapRows.hidden = true;
        const text = (x: number) => (Math.abs(x) < 1e-5 * (range[1] - range[0]) ? "0" : `${Number(x.toPrecision(4))}`);
        if (document.activeElement !== this.low) this.low.value = text(range[0]);
        if (document.activeElement !== this.high) this.high.value = text(range[1]);
    }

    /** Cuts off the side that faces the camera. */
    openSection(): void {
        const { section } = this.settings;
        section.flip = this.cameraSide(section.axis) < 0;
        this.change();
    }

    private chooseRange(value: string): void {
        const { settings } = this;
        settings.range = value === "own" ? [Number(this.low.value), Number(this.high.value)] : (value as "run" | "frame");
        this.change();
    }

    private limit(side: 0 | 1): HTMLInputElement {
        const made = element("input", { type: "number", step: "any", "aria-label": side === 0 ? "Lowest colour" : "Highest colour" });
        made.addEventListener("change", () => {
            const { settings } = this;
            if (!Array.isArray(settings.range) || made.value === "") return;
            settings.range[side] = Number(made.value);
            this.change();
        });
        return made;
    }

    private mapChoices(): HTMLElement {
        const maps: [string, string][] = [["auto", "automatic"], ...MAP_NAMES.map((name): [string, string] => [name, name])];
        const map = select("Colour map", maps, "auto", (value) => {
            this.settings.map = value as MapName | "auto";
            this.change();
        });
        this.mapRows.append(row("Map", map), row("Range", this.range), element("div", { class: "row" }, this.low, "to", this.high));
        return this.mapRows;
    }

    private contactChoices(): HTMLElement[] {
        const { settings, change, header } = this;
        const sizes = slider("Length of the arrows", [-4, 4, 0.25], settings.arrowSize, (value) => {
            settings.arrowSize = value;
            change();
        });
        const fields = quantities(header, ["contacts"]);
        const colour = select("Colour of contacts", [["regime", "stick or slip"], ...fields], "regime", (value) => {
            settings.contactColour = value;
            change();
        });
        const keys = REGIMES.map((tint, index) => key(css(tint), REGIME_NAMES[index]));
        const legend = element("div", { class: "keys" }, ...keys);
        return [row("Length", sizes), ...(fields.length > 0 ? [row("Colour", colour)] : []), legend];
    }

    private sectionChoices(): HTMLElement {
        const { section } = this.settings;
        const axis = select("Normal of the section", [["0", "x"], ["1", "y"], ["2", "z"]], `${section.axis}`, (value) => {
            section.axis = Number(value);
            this.openSection();
        });
        const place = slider("Place of the section", [0, 1, 0.002], section.place, (value) => {
            section.place = value;
            this.change();
        });
        this.flip.input.addEventListener("change", () => {
            section.flip = this.flip.input.checked;
            this.change();
        });
        this.sectionRows.append(row("Normal", axis), row("Place", place), this.flip.row);
        return this.sectionRows;
    }
}

function bodyRow(actor: Actor, change: (actor: Actor) => void): HTMLElement {
    const shown = element("input", { type: "checkbox", title: "Show or hide", "aria-label": `Show ${actor.thing.name}` });
    shown.checked = actor.visible;
    shown.addEventListener("change", () => {
        actor.visible = shown.checked;
        change(actor);
    });
    const tint = element("i");
    tint.style.background = css(actor.colour);
    const { name, kind, material } = actor.thing;
    const who = element("span", { class: "who", title: [name, kind, material].filter(Boolean).join(" · ") }, name || words(kind));
    const opacity = slider(`Opacity of ${name}`, [0, 1, 0.05], actor.opacity, (value) => {
        actor.opacity = value;
        change(actor);
    });
    return element("div", { class: "body" }, shown, tint, who, opacity);
}

export function key(colour: string, text: string): HTMLElement {
    const tint = element("i");
    tint.style.background = colour;
    return element("span", { class: "key" }, tint, text);
}

function heading(text: string): HTMLElement {
    return element("h2", {}, text);
}

function row(label: string, control: HTMLElement): HTMLElement {
    return element("div", { class: "row" }, element("span", {}, label), control);
}

