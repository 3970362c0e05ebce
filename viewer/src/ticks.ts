/** Round numbers in a range, about so many. */
export function linearTicks(low: number, high: number, about: number): number[] {
    const span = high - low;
    if (!(span > 0) || !Number.isFinite(span)) return [low];
    const rough = span / Math.max(1, about);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= 0.999 * rough) ?? 10);
    const ticks: number[] = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * span; i++) ticks.push(Number((i * step).toPrecision(12)));
    return ticks;
}

/** Powers of ten in a range of positive numbers, not more than about so many. */
export function logTicks(low: number, high: number, about: number): number[] {
    const first = Math.ceil(Math.log10(low) - 1e-9);
    const last = Math.floor(Math.log10(high) + 1e-9);
    const stride = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, about)));
    const ticks: number[] = [];
    for (let power = first; power <= last; power += stride) ticks.push(Number(`1e${power}`));
    return ticks;
}

const SUPERSCRIPTS: Record<string, string> = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** A number as people write it: 0.25, 1200, 3.1·10⁻⁶. */
export function readable(value: number, digits = 3): string {
    if (Number.isNaN(value)) return "–";
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e5 || size < 1e-3) {
        const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
        const short = String(Number(mantissa));
        const power = "10" + [...String(Number(exponent))].map((letter) => SUPERSCRIPTS[letter]).join("");
        return minus(short === "1" ? power : short === "-1" ? `-${power}` : `${short}·${power}`);
    }
    return minus(String(Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(size + 1)))))));
}

/** Numbers of a vector: what is nothing beside the largest is 0. */
export function readableVector(parts: number[], digits = 3, size = Math.max(...parts.map(Math.abs))): string {
    return parts.map((part) => readable(Math.abs(part) < 1e-5 * size ? 0 : part, digits)).join(", ");
}

/** Numbers on an axis, with as many decimals as their distance needs. */
export function tickLabels(ticks: number[]): string[] {
    if (ticks.length < 2) return ticks.map((tick) => readable(tick));
    const step = Math.abs(ticks[1] - ticks[0]);
    const largest = Math.max(...ticks.map(Math.abs));
    if (largest >= 1e5 || largest < 1e-2) return ticks.map((tick) => readable(tick));
    const decimals = Math.max(0, Math.min(8, Math.ceil(-Math.log10(step) - 1e-9)));
    return ticks.map((tick) => minus(tick.toFixed(decimals)));
}

function minus(text: string): string {
    return text.replace("-", "−");
}
