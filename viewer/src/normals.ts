/** Triangles of a vertex that meet at less than this angle share a normal: there the surface looks smooth. */
const CREASE = Math.cos((35 * Math.PI) / 180);

/** For each corner of a triangle, the vertex and the number of its normal: vertices on creases have more than one. */
export function shadingCorners(triangles: Uint32Array, points: Float32Array, vertices: number): { corners: Uint32Array; slots: number } {
    const faces = faceNormals(triangles, points);
    const { starts, around } = cornersOfVertices(triangles, vertices);
    const corners = new Uint32Array(2 * triangles.length);
    let slots = 0;
    for (let vertex = 0; vertex < vertices; vertex++) {
        const firstSlot = slots;
        const leaders: number[] = [];
        for (let i = starts[vertex]; i < starts[vertex + 1]; i++) {
            const corner = around[i];
            const face = Math.floor(corner / 3);
            let group = leaders.findIndex((leader) => cosine(faces, leader, face) > CREASE);
            if (group < 0) group = leaders.push(face) - 1;
            corners[2 * corner] = vertex;
            corners[2 * corner + 1] = firstSlot + group;
        }
        slots += leaders.length;
    }
    return { corners, slots };
}

/** Writes the normals of a frame, four 16-bit integers each, weighted by the areas of the triangles. */
export function writeNormals(corners: Uint32Array, points: Float32Array, sums: Float32Array, out: Int16Array): void {
    sums.fill(0);
    for (let c = 0; c < corners.length; c += 6) {
        const [a, b, d] = [3 * corners[c], 3 * corners[c + 2], 3 * corners[c + 4]];
        const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
        const vx = points[d] - points[a], vy = points[d + 1] - points[a + 1], vz = points[d + 2] - points[a + 2];
        const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
        for (let k = 1; k < 6; k += 2) {
            const slot = 3 * corners[c + k];
            sums[slot] += x;
            sums[slot + 1] += y;
            sums[slot + 2] += z;
        }
    }
    for (let i = 0, o = 0; i < sums.length; i += 3, o += 4) {
        const length = Math.sqrt(sums[i] * sums[i] + sums[i + 1] * sums[i + 1] + sums[i + 2] * sums[i + 2]);
        const scale = length > 0 ? 32767 / length : 0;
        out[o] = sums[i] * scale;
        out[o + 1] = sums[i + 1] * scale;
        out[o + 2] = sums[i + 2] * scale;
    }
}

function faceNormals(triangles: Uint32Array, points: Float32Array): Float32Array {
    const out = new Float32Array(triangles.length);
    for (let t = 0; t < triangles.length; t += 3) {
        const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
        const [ux, uy, uz] = [points[b] - points[a], points[b + 1] - points[a + 1], points[b + 2] - points[a + 2]];
        const [vx, vy, vz] = [points[c] - points[a], points[c + 1] - points[a + 1], points[c + 2] - points[a + 2]];
        const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
        const length = Math.hypot(...normal) || 1;
        for (let k = 0; k < 3; k++) out[t + k] = normal[k] / length;
    }
    return out;
}

function cosine(faces: Float32Array, a: number, b: number): number {
    return faces[3 * a] * faces[3 * b] + faces[3 * a + 1] * faces[3 * b + 1] + faces[3 * a + 2] * faces[3 * b + 2];
}

function cornersOfVertices(triangles: Uint32Array, vertices: number): { starts: Uint32Array; around: Uint32Array } {
    const starts = new Uint32Array(vertices + 1);
    for (const vertex of triangles) starts[vertex + 1]++;
    for (let vertex = 0; vertex < vertices; vertex++) starts[vertex + 1] += starts[vertex];
    const next = starts.slice();
    const around = new Uint32Array(triangles.length);
    triangles.forEach((vertex, corner) => (around[next[vertex]++] = corner));
    return { starts, around };
}

/** Edges of only one triangle: outlines in 2D. */
export function outline(triangles: Uint32Array): Uint32Array {
    const seen = new Map<string, [number, number] | null>();
    for (let t = 0; t < triangles.length; t++) {
        const [a, b] = [triangles[t], triangles[t % 3 === 2 ? t - 2 : t + 1]];
        const key = a < b ? `${a} ${b}` : `${b} ${a}`;
        seen.set(key, seen.has(key) ? null : [a, b]);
    }
    return Uint32Array.from([...seen.values()].flatMap((edge) => edge ?? []));
}
