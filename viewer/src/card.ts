import { REGIME_NAMES } from "./colours.ts";
import { element } from "./dom.ts";
import { words } from "./fields.ts";
import type { Contacts, Film } from "./film.ts";
import type { Field } from "./header.ts";
import type { Pick } from "./picking.ts";
import { readable, readableVector } from "./ticks.ts";

type Row = [string, string];

/** Fills the card of what is picked. `place` is in the coordinates of the film. */
export async function fillCard(home: HTMLElement, film: Film, pick: Pick, frame: number, place: number[], close: () => void): Promise<void> {
    const { title, subtitle, rows } =
        pick.kind === "contact" ? await contactRows(film, pick.contact, frame) : await bodyRows(film, pick, frame);
    const { bounds, dimension } = film.header;
    const extent = Math.max(...bounds.high.map((x, axis) => x - bounds.low[axis]));
    const shown = readableVector(place.slice(0, dimension), 4, extent);
    const lines = [["Position", `(${shown}) m`] as Row, ...rows];
    const closer = element("button", { class: "close", title: "Close (esc)", "aria-label": "Close" }, "✕");
    closer.addEventListener("click", close);
    const table = element("table", {}, ...lines.map(([name, value]) => element("tr", {}, element("td", {}, name), element("td", {}, value))));
    home.replaceChildren(element("h2", {}, title), element("p", {}, subtitle), closer, table);
    home.hidden = false;
}

async function bodyRows(film: Film, pick: Exclude<Pick, { kind: "contact" }>, frame: number): Promise<{ title: string; subtitle: string; rows: Row[] }> {
    const thing = film.header.things[pick.thing];
    const rows: Row[] = [];
    if (pick.kind === "triangle") rows.push(["Triangle", `${pick.triangle}`]);
    else rows.push(["Edge", `${pick.edge}`]);
    rows.push(["Nearest vertex", `${pick.vertex}`]);
    for (const [index, field] of film.header.fields.entries()) {
        if (field.place === "contacts" || (field.place === "triangles" && pick.kind !== "triangle")) continue;
        const at = field.place === "vertices" ? pick.vertex : (pick as { triangle: number }).triangle;
        rows.push([words(field.name), valueText(field, await film.values(index, frame), at)]);
    }
    return { title: thing?.name ?? "?", subtitle: [thing?.kind, thing?.material].filter(Boolean).join(" · "), rows };
}

async function contactRows(film: Film, contact: number, frame: number): Promise<{ title: string; subtitle: string; rows: Row[] }> {
    const contacts = await film.contacts(frame);
    const name = (side: number) => film.header.things[contacts.things[2 * contact + side]]?.name ?? "?";
    const rows: Row[] = [
        ["Normal force", forceText(contacts.normalForces, contact, film.header.dimension)],
        ["Friction force", forceText(contacts.frictionForces, contact, film.header.dimension)],
        ["Friction / normal", ratioText(contacts, contact)],
    ];
    for (const [index, field] of film.header.fields.entries()) {
        if (field.place === "contacts") rows.push([words(field.name), valueText(field, await film.values(index, frame), contact)]);
    }
    const regime = REGIME_NAMES[contacts.regimes[contact]] ?? "";
    return { title: `${name(0)} – ${name(1)}`, subtitle: `contact · ${regime}`, rows };
}

/** The force on the first thing: its size and components. */
function forceText(forces: Float32Array, contact: number, dimension: number): string {
    const force = [...forces.subarray(3 * contact, 3 * contact + dimension)];
    return `${readable(Math.hypot(...force))} N (${readableVector(force)})`;
}

function ratioText(contacts: Contacts, contact: number): string {
    const size = (forces: Float32Array) => Math.hypot(...forces.subarray(3 * contact, 3 * contact + 3));
    return readable(size(contacts.frictionForces) / size(contacts.normalForces));
}

function valueText(field: Field, values: Float32Array, index: number): string {
    const parts = [...values.subarray(index * field.components, (index + 1) * field.components)];
    if (field.categories.length > 0) return field.categories[Math.round(parts[0])] ?? "–";
    if (parts.every(Number.isNaN)) return "–";
    const unit = field.unit ? ` ${field.unit}` : "";
    if (parts.length === 1) return `${readable(parts[0])}${unit}`;
    return `${readable(Math.hypot(...parts))}${unit} (${readableVector(parts)})`;
}
