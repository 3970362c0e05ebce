import { type Header, type Field, parseHeader } from "./header.ts";
import { IntReader, ofUpperBits } from "./ints.ts";

/** Contacts of a frame. */
export interface Contacts {
    count: number;
    /** Two things each. */
    things: Int32Array;
    /** Places, relative to the centre of the film. */
    points: Float32Array;
    normalForces: Float32Array;
    frictionForces: Float32Array;
    /** 0 frictionless, 1 stick, 2 slip. */
    regimes: Int32Array;
}

/** Compressed bytes by name, in base64. */
export type Store = (name: string) => string | null | undefined;

/** Bytes of decoded frames that are kept, unless those of the wanted frame need more. */
const MEMORY = 512e6;

/** A film whose frames are decoded when they are needed, a chunk at a time. */
export class Film {
    readonly header: Header;
    private readonly chunks = new Map<string, Chunk>();
    private memory = 0;
    /** The frame to be shown: all that is decoded of it stays. */
    wanted = 0;

    constructor(
        private readonly store: Store,
        private readonly room = MEMORY,
    ) {
        this.header = parseHeader(store("header"));
    }

    get count(): number {
        return this.header.frames.length;
    }

    async mesh(): Promise<{ triangles: Uint32Array; edges: Uint32Array }> {
        const reader = new IntReader(await this.block("mesh"));
        const triangles = new Uint32Array(reader.next().buffer);
        const edges = new Uint32Array(reader.next().buffer);
        const { header } = this;
        const wrong = (vertex: number) => vertex >= header.vertices;
        if (triangles.length !== 3 * header.triangles || edges.length !== 2 * header.edges || triangles.some(wrong) || edges.some(wrong))
            throw new Error("the mesh of the film is damaged");
        return { triangles, edges };
    }

    /** Times of the curves' points, and the values of each curve. */
    async curves(): Promise<{ times: Float64Array; values: Float32Array[] }> {
        const bytes = await this.block("curves");
        const { points, curves } = this.header;
        if (bytes.length !== points * (8 + 4 * curves.length)) throw new Error("the curves of the film are damaged");
        const times = new Float64Array(bytes.slice(0, 8 * points).buffer);
        const start = (index: number) => points * (8 + 4 * index);
        const values = curves.map((_, index) => new Float32Array(bytes.slice(start(index), start(index + 1)).buffer));
        return { times, values };
    }

    /** Positions of all vertices, relative to the centre of the film. */
    positions(frame: number): Promise<Float32Array> {
        return this.decoded<Float32Array>("positions", frame, (bytes, frames) => this.decodePositions(bytes, frames));
    }

    contacts(frame: number): Promise<Contacts> {
        return this.decoded<Contacts>("contacts", frame, (bytes, frames) => this.decodeContacts(bytes, frames));
    }

    /** Values of a field, NaN where there is none. */
    values(field: number, frame: number): Promise<Float32Array> {
        const head = this.header.fields[field];
        return this.decoded<Float32Array>(`field-${field}`, frame, (bytes, frames) => decodeValues(bytes, frames, head));
    }

    /** What is there already of these, without waiting: all or nothing. */
    ready(frame: number, field: number): { positions: Float32Array; contacts: Contacts; values?: Float32Array } | undefined {
        const positions = this.kept<Float32Array>("positions", frame);
        const contacts = this.kept<Contacts>("contacts", frame);
        const values = field >= 0 ? this.kept<Float32Array>(`field-${field}`, frame) : undefined;
        if (!positions || !contacts || (field >= 0 && !values)) return undefined;
        return { positions, contacts, values };
    }

    private kept<T>(name: string, frame: number): T | undefined {
        const key = `${name}-${this.chunkOf(frame)}`;
        const chunk = this.chunks.get(key);
        if (!chunk?.items) return undefined;
        this.chunks.delete(key);
        this.chunks.set(key, chunk);
        return chunk.items[frame % this.header.chunk] as T;
    }

    private async decoded<T>(name: string, frame: number, decode: (bytes: Uint8Array, frames: number) => T[]): Promise<T> {
        const key = `${name}-${this.chunkOf(frame)}`;
        let chunk = this.chunks.get(key);
        if (!chunk) {
            chunk = { items: undefined, size: 0, loading: Promise.resolve([]) };
            this.chunks.set(key, chunk);
            chunk.loading = this.load(key, chunk, frame, decode as (bytes: Uint8Array, frames: number) => unknown[]);
        }
        return (await chunk.loading)[frame % this.header.chunk] as T;
    }

    private async load(key: string, chunk: Chunk, frame: number, decode: (bytes: Uint8Array, frames: number) => unknown[]): Promise<unknown[]> {
        const bytes = await this.block(key);
        const start = this.chunkOf(frame) * this.header.chunk;
        const items = decode(bytes, Math.min(this.header.chunk, this.count - start));
        chunk.items = items;
        chunk.size = items.reduce<number>((sum, item) => sum + sizeOf(item), 0);
        this.memory += chunk.size;
        this.forget(key);
        return items;
    }

    /** Drops the chunks that were not used for longest. */
    private forget(newest: string): void {
        const wanted = `-${this.chunkOf(this.wanted)}`;
        for (const [key, chunk] of this.chunks) {
            if (this.memory <= this.room) return;
            if (key === newest || key.endsWith(wanted) || !chunk.items) continue;
            this.memory -= chunk.size;
            this.chunks.delete(key);
        }
    }

    private chunkOf(frame: number): number {
        return Math.floor(frame / this.header.chunk);
    }

    private async block(name: string): Promise<Uint8Array> {
        const text = this.store(name);
        if (!text) throw new Error(`the block "${name}" of the film is missing`);
        try {
            return await inflate(fromBase64(text));
        } catch {
            throw new Error(`the block "${name}" of the film is damaged`);
        }
    }

    private decodePositions(bytes: Uint8Array, frames: number): Float32Array[] {
        const { parts, vertices, centre } = this.header;
        const reader = new IntReader(bytes);
        const histories = parts.map((): [Int32Array?, Int32Array?] => []);
        return Array.from({ length: frames }, () => {
            const out = new Float32Array(3 * vertices);
            parts.forEach((part, index) => {
                const history = histories[index];
                const integers = reader.next(history[0], history[1]);
                histories[index] = [integers, history[0]];
                scaled(integers, part.origin.map((x, axis) => x - centre[axis]), part.step, out, 3 * part.vertices[0]);
            });
            return out;
        });
    }

    private decodeContacts(bytes: Uint8Array, frames: number): Contacts[] {
        const { contacts, centre } = this.header;
        const origin = contacts.origin.map((x, axis) => x - centre[axis]);
        const reader = new IntReader(bytes);
        return Array.from({ length: frames }, () => {
            const [things, integers, forces, regimes] = [reader.next(), reader.next(), reader.next(), reader.next()];
            const points = new Float32Array(integers.length);
            scaled(integers, origin, contacts.step, points, 0);
            const half = (first: number) =>
                Float32Array.from({ length: points.length }, (_, i) => ofUpperBits(forces[6 * Math.floor(i / 3) + first + (i % 3)]));
            return { count: regimes.length, things, points, normalForces: half(0), frictionForces: half(3), regimes };
        });
    }
}

interface Chunk {
    items: unknown[] | undefined;
    size: number;
    loading: Promise<unknown[]>;
}

function scaled(integers: Int32Array, origin: number[], step: number, out: Float32Array, start: number): void {
    if (start + integers.length > out.length) throw new Error("a block of the film is damaged");
    const [x, y, z] = origin;
    for (let i = 0; i < integers.length; i += 3) {
        out[start + i] = x + step * integers[i];
        out[start + i + 1] = y + step * integers[i + 1];
        out[start + i + 2] = z + step * integers[i + 2];
    }
}

function decodeValues(bytes: Uint8Array, frames: number, field: Field): Float32Array[] {
    const reader = new IntReader(bytes);
    const components = Math.max(1, field.components);
    const low = field.low.map((x) => x ?? 0);
    const step = field.high.map((x, i) => ((x ?? 0) - low[i]) / Math.max(1, field.levels));
    let last: Int32Array | undefined;
    let before: Int32Array | undefined;
    return Array.from({ length: frames }, () => {
        const integers = reader.next(last, before);
        [last, before] = [integers, last];
        const out = new Float32Array(integers.length);
        for (let i = 0; i < out.length; i++) {
            const k = i % components;
            out[i] = integers[i] === 0 ? NaN : low[k] + (integers[i] - 1) * step[k];
        }
        return out;
    });
}

function sizeOf(item: unknown): number {
    if (ArrayBuffer.isView(item)) return item.byteLength;
    return Object.values(item as object).reduce<number>((sum, part) => sum + (ArrayBuffer.isView(part) ? part.byteLength : 8), 0);
}

type FromBase64 = { fromBase64?: (text: string) => Uint8Array };

export function fromBase64(text: string): Uint8Array {
    const native = (Uint8Array as unknown as FromBase64).fromBase64;
    if (native) return native.call(Uint8Array, text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
    const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}
