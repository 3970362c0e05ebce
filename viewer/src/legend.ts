import { categoryColour, css, type MapName, mapColour } from "./colours.ts";
import { element } from "./dom.ts";
import { key } from "./settings.ts";
import { linearTicks, tickLabels } from "./ticks.ts";

/** Shows a colour bar, or the colours of categories. */
export function showLegend(home: HTMLElement, title: string, colours: { map: MapName; range: [number, number]; gaps: boolean } | { categories: string[] }): void {
    home.hidden = false;
    const name = element("div", { class: "name" }, title);
    if ("categories" in colours) {
        const keys = colours.categories.map((category, index) => key(css(categoryColour(index)), category));
        home.replaceChildren(name, element("div", { class: "keys" }, ...keys));
        return;
    }
    const ramp = element("div", { class: "ramp" });
    const stops = Array.from({ length: 24 }, (_, index) => css(mapColour(colours.map, index / 23)));
    ramp.style.background = `linear-gradient(90deg, ${stops.join(", ")})`;
    const gaps = colours.gaps ? key("var(--missing)", "no value") : "";
    home.replaceChildren(name, ramp, marks(colours.range), gaps);
}

function marks([low, high]: [number, number]): HTMLElement {
    const ticks = linearTicks(low, high, 4);
    const labels = tickLabels(ticks);
    const spans = ticks.map((tick, index) => {
        const span = element("span", {}, labels[index]);
        span.style.left = `${high > low ? (100 * (tick - low)) / (high - low) : 0}%`;
        return span;
    });
    return element("div", { class: "marks" }, ...spans);
}
