/** Reads arrays of integers: written by crates/stiction-view/src/page/ints.rs, which describes them. */
export class IntReader {
    private at = 0;
    private readonly view: DataView;

    constructor(private readonly bytes: Uint8Array) {
        this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }

    /** The next array, given those of the same place in the last two frames of the chunk. */
    next(last?: Int32Array, before?: Int32Array): Int32Array {
        if (this.at + 7 > this.bytes.length) throw new Error("a block of the film ends early");
        const count = this.view.getUint32(this.at, true);
        const [stride, forecast, planes] = this.bytes.subarray(this.at + 4, this.at + 7);
        this.at += 7;
        if (planes > 4 || this.at + planes * count > this.bytes.length) throw new Error("a block of the film is damaged");
        const values = this.planes(count, planes);
        this.at += planes * count;
        unforecast(values, forecast, stride, last, before);
        return values;
    }

    private planes(count: number, planes: number): Int32Array {
        const { bytes, at } = this;
        const values = new Int32Array(count);
        for (let plane = 0; plane < planes; plane++) {
            const start = at + plane * count;
            const shift = 8 * plane;
            for (let i = 0; i < count; i++) values[i] |= bytes[start + i] << shift;
        }
        for (let i = 0; i < count; i++) values[i] = (values[i] >>> 1) ^ -(values[i] & 1);
        return values;
    }
}

/** Turns residuals into values. */
function unforecast(values: Int32Array, forecast: number, stride: number, last?: Int32Array, before?: Int32Array): void {
    const count = values.length;
    if (forecast === 0) return;
    if (forecast === 1) {
        for (let i = stride; i < count; i++) values[i] += values[i - stride];
        return;
    }
    if (last?.length !== count) throw new Error("a block of the film is damaged");
    if (forecast === 2) {
        for (let i = 0; i < count; i++) values[i] += last[i];
        return;
    }
    if (forecast !== 3 || before?.length !== count) throw new Error("a block of the film is damaged");
    for (let i = 0; i < count; i++) values[i] += 2 * last[i] - before[i];
}

const bits = new Int32Array(1);
const float = new Float32Array(bits.buffer);

/** The number whose upper 24 bits these are. */
export function ofUpperBits(upper: number): number {
    bits[0] = upper << 8;
    return float[0];
}
