import type { CurveHead } from "./header.ts";

/** Curves that are shown together. */
export interface Group {
    title: string;
    curves: number[];
}

const ENERGIES = /(^|_)energy$/;

/** Groups of curves that people look at together, then every curve alone. */
export function groups(curves: CurveHead[]): { together: Group[]; alone: Group[] } {
    const pick = (title: string, wanted: (curve: CurveHead) => boolean): Group => ({
        title,
        curves: curves.flatMap((curve, index) => (wanted(curve) ? [index] : [])),
    });
    const own = (curve: CurveHead) => !curve.name.includes(".");
    const together = [
        pick("Energies", (curve) => ENERGIES.test(curve.name) && curve.name !== "numerical_energy"),
        pick("Smallest gap", (curve) => curve.name === "smallest_gap"),
        ...bodyGroups(curves),
        pick("Heat and work", (curve) => own(curve) && /(_heat|_work)$|^numerical_energy$/.test(curve.name)),
        pick("Newton iterations", (curve) => curve.name === "newton_iterations"),
        pick("Stick and slip", (curve) => /^(sticking|slipping)$/.test(curve.name)),
    ];
    const alone = curves.map((curve, index) => ({ title: title(curve), curves: [index] }));
    return { together: together.filter((group) => group.curves.length > 0), alone };
}

/** Forces, velocities and positions of each body: columns such as `block.normal_force_x`. */
function bodyGroups(curves: CurveHead[]): Group[] {
    const bodies = new Map<string, Map<string, number[]>>();
    curves.forEach((curve, index) => {
        const dot = curve.name.lastIndexOf(".");
        const kind = { N: "force", "m/s": "velocity", m: "position" }[curve.unit];
        if (dot < 1 || !kind) return;
        const body = curve.name.slice(0, dot);
        const kinds = bodies.get(body) ?? new Map<string, number[]>();
        kinds.set(kind, [...(kinds.get(kind) ?? []), index]);
        bodies.set(body, kinds);
    });
    return [...bodies].flatMap(([body, kinds]) => [...kinds].map(([kind, members]) => ({ title: `${body}: ${kind}`, curves: members })));
}

/** The groups that a page begins with. */
export function firstGroups(together: Group[], most: number): Group[] {
    const wanted = [/^Energies$/, /^Smallest gap$/, /: force$/, /^Heat/, /^Newton/, /^Stick/, /: velocity$/];
    const found = wanted.map((pattern) => together.find((group) => pattern.test(group.title)));
    return found.filter((group) => group !== undefined).slice(0, most);
}

export function title(curve: CurveHead): string {
    const words = curve.name.replaceAll("_", " ");
    return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The name of a curve in a group: without what all have in common. */
export function shortName(name: string, all: string[]): string {
    const dot = name.lastIndexOf(".") + 1;
    const short = all.every((other) => other.slice(0, dot) === name.slice(0, dot)) ? name.slice(dot) : name;
    return (all.length > 1 ? short.replace(/_energy$/, "") : short).replaceAll("_", " ");
}

/** The value of a curve at a time, straight between its points; NaN outside and beside points without value. */
export function valueAt(times: ArrayLike<number>, values: ArrayLike<number>, time: number): number {
    const after = firstFrom(times, time);
    if (after < times.length && times[after] === time) return values[after];
    if (after === 0 || after === times.length) return NaN;
    const share = (time - times[after - 1]) / (times[after] - times[after - 1]);
    return values[after - 1] * (1 - share) + values[after] * share;
}

/** Index of the first time that is not before the given one. */
export function firstFrom(times: ArrayLike<number>, time: number): number {
    let [low, high] = [0, times.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (times[middle] < time) low = middle + 1;
        else high = middle;
    }
    return low;
}

/** Whether a logarithmic axis shows these values better: positive, over about two decades or more. */
export function spansDecades(curves: ArrayLike<number>[]): boolean {
    const range = positiveRange(curves);
    return range !== undefined && range.allPositive && range.high > 80 * range.low;
}

export function positiveRange(curves: ArrayLike<number>[]): { low: number; high: number; allPositive: boolean } | undefined {
    let [low, high, allPositive] = [Infinity, 0, true];
    for (const values of curves) {
        for (let i = 0; i < values.length; i++) {
            if (!Number.isFinite(values[i])) continue;
            if (values[i] <= 0) allPositive = false;
            else [low, high] = [Math.min(low, values[i]), Math.max(high, values[i])];
        }
    }
    return high > 0 ? { low, high, allPositive } : undefined;
}

export function rangeOf(curves: ArrayLike<number>[]): [number, number] {
    let [low, high] = [Infinity, -Infinity];
    for (const values of curves) {
        for (let i = 0; i < values.length; i++) {
            if (!Number.isFinite(values[i])) continue;
            low = Math.min(low, values[i]);
            high = Math.max(high, values[i]);
        }
    }
    return low <= high ? [low, high] : [0, 1];
}
