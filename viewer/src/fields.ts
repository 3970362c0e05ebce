import type { Field, Header } from "./header.ts";

/** What colours can show: a field, or a part of one. */
export interface Quantity {
    field: number;
    /** A component, or "size" for the magnitude of a vector. */
    part: number | "size";
}

const AXES = ["x", "y", "z"];

/** Everything that can be shown of the fields at these places, with keys for links. */
export function quantities(header: Header, places: Field["place"][]): [string, string][] {
    return header.fields.flatMap((field): [string, string][] => {
        if (!places.includes(field.place)) return [];
        const name = words(field.name);
        if (field.components <= 1) return [[field.name, name]];
        const used = header.dimension === 2 && field.components === 3 ? 2 : field.components;
        const parts = Array.from({ length: used }, (_, part): [string, string] => [`${field.name}.${part}`, `${name} ${partName(field, part)}`]);
        return [[`${field.name}.size`, `${name} (magnitude)`], ...parts];
    });
}

/** What a key stands for; undefined where the film has no such field. */
export function quantityOf(header: Header, key: string): Quantity | undefined {
    const whole = header.fields.findIndex((field) => field.name === key && field.components <= 1);
    if (whole >= 0) return { field: whole, part: 0 };
    const dot = key.lastIndexOf(".");
    const field = header.fields.findIndex((one) => one.name === key.slice(0, dot));
    if (field < 0) return undefined;
    const part = key.slice(dot + 1);
    if (part === "size") return { field, part };
    return Number(part) >= 0 && Number(part) < header.fields[field].components ? { field, part: Number(part) } : undefined;
}

export function nameOf(header: Header, { field, part }: Quantity): string {
    const head = header.fields[field];
    if (head.components <= 1) return words(head.name);
    return part === "size" ? `${words(head.name)} (magnitude)` : `${words(head.name)} ${partName(head, part)}`;
}

/** The numbers that are shown. */
export function numbersOf(values: Float32Array, components: number, part: number | "size"): Float32Array {
    if (components <= 1) return values;
    const out = new Float32Array(values.length / components);
    for (let i = 0; i < out.length; i++) {
        if (part !== "size") {
            out[i] = values[i * components + part];
            continue;
        }
        let sum = 0;
        for (let k = 0; k < components; k++) sum += values[i * components + k] ** 2;
        out[i] = Math.sqrt(sum);
    }
    return out;
}

/** The numbers on bodies: fields are often padded with zeros on obstacles. */
export function ofBodies(header: Header, place: Field["place"], numbers: Float32Array): Float32Array[] {
    if (place === "contacts") return [numbers];
    const bodies = header.things.filter((thing) => thing.kind !== "obstacle");
    return bodies.map((thing) => numbers.subarray(...thing[place]));
}

/** The range on bodies over the film. */
export function filmRange(header: Header, { field, part }: Quantity): [number, number] {
    const head = header.fields[field];
    if (part === "size") return [0, head.largest || 1];
    return [head.body_low[part] ?? 0, head.body_high[part] ?? 1];
}

function partName(field: Field, part: number): string {
    return field.components <= 3 ? AXES[part] : `${part + 1}`;
}

export function words(name: string): string {
    const text = name.replaceAll("_", " ");
    return text.charAt(0).toUpperCase() + text.slice(1);
}
