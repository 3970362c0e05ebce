/** What a page knows before it decodes anything: written by crates/stiction-view/src/page/header.rs. */
export interface Header {
    format: number;
    title: string;
    dimension: 2 | 3;
    gravity: Triple;
    centre: Triple;
    bounds: Box;
    start: Box;
    vertices: number;
    triangles: number;
    edges: number;
    /** Colours as in rendered pictures, in hexadecimal digits: body `i` has colour `i` modulo their number. */
    palette: { bodies: string[]; obstacle: string };
    things: Thing[];
    fields: Field[];
    /** Step and time of each frame. */
    frames: [number, number][];
    film_frames: number;
    chunk: number;
    parts: { vertices: Span; origin: Triple; step: number; bounds: Box }[];
    contacts: { origin: Triple; step: number; largest_force: number };
    curves: CurveHead[];
    points: number;
    steps: number;
}

export type Triple = [number, number, number];
/** First, and one past the last. */
export type Span = [number, number];
export interface Box {
    low: Triple;
    high: Triple;
}

export interface Thing {
    name: string;
    kind: "solid" | "sheet" | "rod" | "obstacle";
    material: string;
    vertices: Span;
    triangles: Span;
    edges: Span;
}

export interface Field {
    name: string;
    unit: string;
    meaning: string;
    place: "vertices" | "triangles" | "contacts";
    components: number;
    categories: string[];
    low: (number | null)[];
    high: (number | null)[];
    levels: number;
    /** Of bodies, for colours. */
    body_low: (number | null)[];
    body_high: (number | null)[];
    /** Largest magnitude on bodies. */
    largest: number;
}

export interface CurveHead {
    name: string;
    unit: string;
    meaning: string;
}

const FORMAT = 1;

export function parseHeader(text: string | null | undefined): Header {
    if (!text) throw new Error("the page has no film in it");
    let header: Header;
    try {
        header = JSON.parse(text) as Header;
    } catch {
        throw new Error("the description of the film is damaged");
    }
    if (header.format !== FORMAT) throw new Error(`the film has format ${header.format}, but this player reads format ${FORMAT}`);
    if (!header.frames?.length) throw new Error("the film has no frames");
    // JSON has no NaN: a time without value is null there.
    header.frames = header.frames.map(([step, time]) => [step, time ?? NaN]);
    return header;
}
