export type Colour = [number, number, number];

/** Colours of a map from low to high. Viridis, cividis and inferno are by the matplotlib developers (CC0), turbo by Google (Apache-2.0). */
const MAPS = {
    viridis: "440154 482475 414487 355f8d 2a788e 21918c 22a884 44bf70 7ad151 bddf26 fde725",
    cividis: "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838",
    inferno: "000004 160b39 420a68 6a176e 932667 bc3754 dd513a f37819 fca50a f6d746 fcffa4",
    turbo: "30123b 4145ab 4675ed 39a2fc 1bcfd4 24eca6 61fc6c a4fc3b d1e834 f3c63a fe9b2d f36315 d93806 b11901 7a0402",
    "cool–warm": "3b4cc0 6788ee 9abbff c9d7f0 edd1c2 f7a889 e26952 b40426",
};

export type MapName = keyof typeof MAPS;
export const MAP_NAMES = Object.keys(MAPS) as MapName[];

/** Of the curves of a plot. */
const CURVES = "4c78a8 f2994a 5aa469 d9605b a67fb8 5fb3b3 e2c044 ef8fa3 98735a 7f8fa9".split(" ").map(ofHex);
const CATEGORIES = "9aa3b0 3f7fd0 ee7733 5aa469 a67fb8 e2c044 5fb3b3 d9605b".split(" ").map(ofHex);
/** Of contacts: without friction, stick, slip. */
export const REGIMES = ["8a93a0", "3f7fd0", "ee7733"].map(ofHex);
export const REGIME_NAMES = ["frictionless", "stick", "slip"];

export function ofHex(hex: string): Colour {
    const number = parseInt(hex, 16);
    return [(number >> 16) / 255, ((number >> 8) & 255) / 255, (number & 255) / 255];
}

export function css(colour: Colour): string {
    return `rgb(${colour.map((part) => Math.round(255 * part)).join(" ")})`;
}

export function plotColour(index: number): Colour {
    return CURVES[index % CURVES.length];
}

export function categoryColour(index: number): Colour {
    return CATEGORIES[index % CATEGORIES.length];
}

/** The colour of a share between 0 and 1; outside, that of the end. */
export function mapColour(name: MapName, share: number): Colour {
    const colours = MAPS[name].split(" ").map(ofHex);
    const place = Math.min(1, Math.max(0, share)) * (colours.length - 1);
    const index = Math.min(colours.length - 2, Math.floor(place));
    const part = place - index;
    return [0, 1, 2].map((k) => colours[index][k] * (1 - part) + colours[index + 1][k] * part) as Colour;
}

/** How numbers become colours. */
export interface Tint {
    categories: boolean;
    map: MapName;
    range: [number, number];
    /** Where there is no number. */
    missing: Colour;
}

export function valueColour(value: number, { categories, map, range: [low, high], missing }: Tint): Colour {
    if (!Number.isFinite(value)) return missing;
    return categories ? categoryColour(Math.max(0, Math.round(value))) : mapColour(map, (value - low) / (high - low || 1));
}

/** A map as pixels, red green blue alpha. */
export function mapPixels(name: MapName, count: number): Uint8Array {
    return pixels(Array.from({ length: count }, (_, index) => mapColour(name, index / (count - 1))));
}

/** Colours of categories as pixels. */
export function categoryPixels(count: number, width: number): Uint8Array {
    return pixels(Array.from({ length: width }, (_, index) => categoryColour(Math.min(index, count - 1))));
}

function pixels(colours: Colour[]): Uint8Array {
    return Uint8Array.from(colours.flatMap((colour) => [...colour.map((part) => Math.round(255 * part)), 255]));
}
