import { element, select, slider } from "./dom.ts";
import { type Playback, speedLabel } from "./playback.ts";
import { readable } from "./ticks.ts";

const ICONS = {
    play: '<path class="fill" d="M6.5 3.8v12.4l10-6.2z"/>',
    pause: '<path class="fill" d="M5.5 4h3v12h-3zM11.5 4h3v12h-3z"/>',
    back: '<path class="fill" d="M12.5 5v10L6 10z"/><path d="M4.5 5v10"/>',
    forward: '<path class="fill" d="M7.5 5v10l6.5-5z"/><path d="M15.5 5v10"/>',
    first: '<path class="fill" d="M16 5v10l-6-5zM10 5v10l-6-5z"/><path d="M3.5 5v10"/>',
    last: '<path class="fill" d="M4 5v10l6-5zM10 5v10l6-5z"/><path d="M16.5 5v10"/>',
    loop: '<path d="M4 9a5 5 0 0 1 5-4h6m0 0-2.5-2.5M15 5l-2.5 2.5M16 11a5 5 0 0 1-5 4H5m0 0 2.5 2.5M5 15l2.5-2.5"/>',
};

/** What the bar can ask for. */
export interface BarActions {
    toggle(): void;
    seek(frame: number): void;
    step(by: number): void;
    loop(): void;
    speed(value: number): void;
}

/** The bar below: buttons, the slider of frames, and what is shown. */
export class Bar {
    private readonly play: HTMLButtonElement;
    private readonly loop: HTMLButtonElement;
    private readonly scrub: HTMLInputElement;
    private readonly state = element("div", { id: "state" });
    private readonly speed: HTMLSelectElement;
    private playing: boolean | undefined;

    constructor(
        home: HTMLElement,
        private readonly playback: Playback,
        private readonly frames: [number, number][],
        actions: BarActions,
    ) {
        const last = frames.length - 1;
        this.play = button("play", "Play or pause (space)", "play", actions.toggle);
        this.loop = button("loop", "Loop (L)", "loop", actions.loop);
        this.scrub = slider("Frame", [0, last, 1], 0, (frame) => actions.seek(frame));
        this.scrub.id = "scrub";
        this.scrub.title = "";
        this.speed = select("Speed: seconds of the run per second", [], "", (value) => actions.speed(Number(value)));
        this.speed.title = "Speed: ×1 is real time (+ and −)";
        this.speed.id = "speed";
        home.append(
            button("first", "First frame (home)", "first", () => actions.seek(0)),
            button("back", "One frame back (←)", "back", () => actions.step(-1)),
            this.play,
            button("forward", "One frame on (→)", "forward", () => actions.step(1)),
            button("last", "Last frame (end)", "last", () => actions.seek(last)),
            this.scrub,
            this.state,
            this.speed,
            this.loop,
        );
        this.update();
    }

    /** Shows how it plays. */
    update(): void {
        const { playing, loop, speed } = this.playback;
        if (playing !== this.playing) this.play.replaceChildren(icon(playing ? "pause" : "play"));
        this.playing = playing;
        this.play.setAttribute("aria-pressed", `${playing}`);
        this.loop.setAttribute("aria-pressed", `${loop}`);
        if (Number(this.speed.value) !== speed) {
            const speeds = [-4, -3, -2, -1, 0, 1, 2, 3, 4].map((power) => speed * 2 ** power);
            this.speed.replaceChildren(...speeds.map((one) => element("option", { value: `${one}` }, speedLabel(one))));
            this.speed.value = `${speed}`;
        }
    }

    /** Shows which frame is seen. */
    show(frame: number): void {
        const [step, time] = this.frames[frame];
        this.scrub.value = `${frame}`;
        const text = (content: string) => document.createTextNode(content);
        const strong = element("b", { id: "time" }, `${readable(time, 4)} s`);
        const wide = element("span", { class: "wide" }, ` · step ${step}`);
        this.state.replaceChildren(strong, wide, text(` · frame ${frame + 1}/${this.frames.length}`));
        this.state.dataset.frame = `${frame}`;
    }
}

function icon(name: keyof typeof ICONS): SVGSVGElement {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 20 20");
    svg.innerHTML = ICONS[name];
    return svg;
}

function button(id: string, title: string, picture: keyof typeof ICONS, act: () => void): HTMLButtonElement {
    const made = element("button", { id, title, "aria-label": title }, icon(picture));
    made.addEventListener("click", () => act());
    return made;
}
