import { element } from "./dom.ts";

const KEYS: [string[], string][] = [
    [["space"], "play or pause"],
    [["←", "→"], "one frame back or forward; ten with shift"],
    [["home", "end"], "first or last frame"],
    [["+", "−"], "faster or slower"],
    [["L"], "loop"],
    [["F"], "show everything"],
    [["1", "2", "3"], "view from the right, from the front, from above"],
    [["C"], "colour by the next field"],
    [["A"], "force arrows"],
    [["K"], "contact points"],
    [["M"], "mesh lines"],
    [["X"], "section plane"],
    [["P"], "plots"],
    [["S"], "settings"],
    [["D"], "dark or light theme"],
    [["esc"], "close the card or this help"],
];

const POINTER: [string, string][] = [
    ["Drag", "rotate (in 2D: pan)"],
    ["Right drag, or two fingers", "pan"],
    ["Wheel, or pinch", "zoom"],
    ["Click", "pick a body or a contact"],
    ["Double click", "rotate about this point"],
    ["Click or drag in a plot", "jump to this time"],
];

export function fillHelp(home: HTMLElement): void {
    const keys = KEYS.flatMap(([names, text]) => [element("dt", {}, ...names.map((name) => element("kbd", {}, name))), element("dd", {}, text)]);
    const pointer = POINTER.flatMap(([what, text]) => [element("dt", {}, what), element("dd", {}, text)]);
    const list = element("dl", {}, ...pointer, ...keys);
    home.append(element("div", { role: "dialog", "aria-label": "Help" }, element("h2", {}, "Mouse, touch and keys"), list));
    home.addEventListener("click", (event) => {
        if (event.target === home) home.hidden = true;
    });
}
