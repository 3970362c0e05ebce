// Tests of what needs no browser, with Node's own test runner: `npm test`.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { deflateSync } from "node:zlib";
import { build } from "esbuild";

const here = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(here, "node_modules/.unit-"));
process.on("exit", () => existsSync(folder) && rmSync(folder, { recursive: true }));

/** Node reads no TypeScript of all versions, so esbuild translates. */
async function load(name) {
    const outfile = join(folder, `${name}.mjs`);
    await build({ entryPoints: [join(here, `src/${name}.ts`)], bundle: true, format: "esm", outfile, logLevel: "silent" });
    return import(pathToFileURL(outfile).href);
}

const { IntReader, ofUpperBits } = await load("ints");
const { Film } = await load("film");
const { parseHeader } = await load("header");
const { mapColour, mapPixels, MAP_NAMES, valueColour, categoryColour } = await load("colours");
const { linearTicks, logTicks, readable, tickLabels } = await load("ticks");
const { groups, firstGroups, shortName, spansDecades, valueAt } = await load("curves");
const { Playback, niceSpeed, speedLabel } = await load("playback");
const { shadingCorners, outline } = await load("normals");
const { parseLink, linkText } = await load("link");
const { filmRange, numbersOf, ofBodies } = await load("fields");

/** An array as Rust writes it, with one byte for each residual. */
function array(residuals, stride, forecast) {
    const zigzag = residuals.map((value) => (value << 1) ^ (value >> 31));
    const head = new Uint8Array(7);
    new DataView(head.buffer).setUint32(0, residuals.length, true);
    head.set([stride, forecast, 1], 4);
    return Uint8Array.from([...head, ...zigzag]);
}

test("arrays of integers are read with every forecast", () => {
    const reader = new IntReader(Uint8Array.from([...array([1, -2, 3, 4], 2, 1), ...array([1, 1, 1, 1], 2, 2), ...array([0, 0, 0, -1], 2, 3)]));
    const first = reader.next();
    assert.deepEqual([...first], [1, -2, 4, 2]);
    const second = reader.next(first);
    assert.deepEqual([...second], [2, -1, 5, 3]);
    assert.deepEqual([...reader.next(second, first)], [3, 0, 6, 3]);
    assert.throws(() => reader.next(), /ends early/);
});

test("wide integers wrap as in Rust", () => {
    const bytes = new Uint8Array(7 + 8);
    new DataView(bytes.buffer).setUint32(0, 2, true);
    bytes.set([1, 0, 4], 4);
    // i32::MAX is 0xfffffffe and i32::MIN 0xffffffff in zigzag.
    for (let plane = 0; plane < 4; plane++) bytes.set([plane === 0 ? 0xfe : 0xff, 0xff], 7 + 2 * plane);
    assert.deepEqual([...new IntReader(bytes).next()], [2147483647, -2147483648]);
});

test("numbers come back from their upper bits", () => {
    const view = new DataView(new ArrayBuffer(4));
    view.setFloat32(0, -123.5);
    assert.equal(ofUpperBits(view.getInt32(0) >>> 8), -123.5);
});

test("damaged films are refused with a sentence", async () => {
    assert.throws(() => parseHeader(undefined), /no film/);
    assert.throws(() => parseHeader("{"), /damaged/);
    assert.throws(() => parseHeader('{"format": 99}'), /format 99/);
    const header = { format: 1, frames: [[0, 0]], chunk: 16, parts: [], vertices: 0, centre: [0, 0, 0], fields: [], curves: [] };
    const store = { header: JSON.stringify(header), "positions-0": "AAAA" };
    const film = new Film((name) => store[name]);
    await assert.rejects(film.positions(0), /"positions-0" of the film is damaged/);
    await assert.rejects(film.contacts(0), /"contacts-0" of the film is missing/);
});

test("positions are on the grid of their part", async () => {
    const part = { vertices: [0, 1], origin: [10, 20, 30], step: 0.5 };
    const header = { format: 1, frames: [[0, 0], [1, 1]], chunk: 16, parts: [part], vertices: 1, centre: [10, 10, 10], fields: [], curves: [] };
    const bytes = Uint8Array.from([...array([2, 4, 6], 3, 0), ...array([1, 0, 0], 3, 2)]);
    const store = { header: JSON.stringify(header), "positions-0": deflateSync(bytes).toString("base64") };
    const film = new Film((name) => store[name]);
    assert.deepEqual([...(await film.positions(0))], [1, 12, 23]);
    assert.deepEqual([...(await film.positions(1))], [1.5, 12, 23]);
});

test("colour maps have their ends, and never leave 0 to 1", () => {
    for (const name of MAP_NAMES) {
        assert.deepEqual(mapColour(name, -1), mapColour(name, 0));
        assert.deepEqual(mapColour(name, 2), mapColour(name, 1));
        assert.equal(mapPixels(name, 256).length, 1024);
        for (let i = 0; i <= 50; i++) assert.ok(mapColour(name, i / 50).every((part) => part >= 0 && part <= 1));
    }
    assert.deepEqual(mapColour("viridis", 0).map((part) => Math.round(255 * part)), [0x44, 0x01, 0x54]);
});

test("numbers that are none have the colour of what is missing", () => {
    const missing = [0.1, 0.2, 0.3];
    const tint = { categories: false, map: "viridis", range: [0, 2], missing };
    for (const value of [NaN, Infinity, undefined]) assert.deepEqual(valueColour(value, tint), missing);
    assert.deepEqual(valueColour(1, tint), mapColour("viridis", 0.5));
    assert.deepEqual(valueColour(1, { ...tint, range: [1, 1] }), mapColour("viridis", 0));
    assert.deepEqual(valueColour(NaN, { ...tint, categories: true }), missing);
    assert.deepEqual(valueColour(1, { ...tint, categories: true }), categoryColour(1));
});

test("colour ranges are those of bodies", () => {
    const things = [{ kind: "solid", vertices: [0, 2] }, { kind: "obstacle", vertices: [2, 4] }];
    const field = { place: "vertices", components: 1, low: [0], high: [9], body_low: [5], body_high: [9], largest: 9 };
    const header = { things, fields: [field] };
    assert.deepEqual(ofBodies(header, "vertices", Float32Array.from([5, 9, 0, 0])).map((part) => [...part]), [[5, 9]]);
    assert.deepEqual(ofBodies(header, "contacts", Float32Array.from([1])).map((part) => [...part]), [[1]]);
    assert.deepEqual(filmRange(header, { field: 0, part: 0 }), [5, 9]);
});

test("what is decoded of the wanted frame stays, however large", async () => {
    const part = { vertices: [0, 1], origin: [0, 0, 0], step: 1 };
    const field = { place: "vertices", components: 1, low: [0], high: [1], levels: 1 };
    const contacts = { origin: [0, 0, 0], step: 1 };
    const header = { format: 1, frames: [[0, 0], [1, 1]], chunk: 1, parts: [part], vertices: 1, centre: [0, 0, 0], fields: [field], contacts, curves: [] };
    const packed = (...arrays) => deflateSync(Uint8Array.from(arrays.flatMap((one) => [...one]))).toString("base64");
    const store = { header: JSON.stringify(header) };
    for (const chunk of [0, 1]) {
        store[`positions-${chunk}`] = packed(array([0, 0, 0], 3, 0));
        store[`contacts-${chunk}`] = packed(array([0, 0], 2, 0), array([0, 0, 0], 3, 0), array([0, 0, 0, 0, 0, 0], 6, 0), array([1], 1, 0));
        store[`field-0-${chunk}`] = packed(array([1], 1, 0));
    }
    const film = new Film((name) => store[name], 0);
    for (const frame of [0, 1, 0]) {
        film.wanted = frame;
        await Promise.all([film.positions(frame), film.contacts(frame), film.values(0, frame)]);
        assert.ok(film.ready(frame, 0), `frame ${frame} can be shown`);
        assert.equal(film.ready(1 - frame, 0), undefined, "the other frame is gone");
    }
});

test("ticks are round", () => {
    assert.deepEqual(linearTicks(0, 1, 4), [0, 0.5, 1]);
    assert.deepEqual(linearTicks(-0.3, 0.31, 5), [-0.2, 0, 0.2]);
    assert.deepEqual(linearTicks(2, 2, 5), [2]);
    assert.deepEqual(logTicks(1e-5, 1e-2, 10), [1e-5, 1e-4, 1e-3, 1e-2]);
    assert.ok(logTicks(1e-30, 1, 4).length <= 5);
    assert.deepEqual(tickLabels([0, 0.5, 1]), ["0.0", "0.5", "1.0"]);
});

test("numbers are readable", () => {
    assert.equal(readable(0.25), "0.25");
    assert.equal(readable(123456), "1.23·10⁵");
    assert.equal(readable(-1e-6), "−10⁻⁶");
    assert.equal(readable(1234), "1234");
    assert.equal(readable(NaN), "–");
    assert.equal(readable(Infinity), "∞");
});

test("curves are read between their points", () => {
    const times = [0, 1, 2];
    assert.equal(valueAt(times, [0, 10, NaN], 0.25), 2.5);
    assert.equal(valueAt(times, [0, 10, NaN], 1), 10);
    assert.ok(Number.isNaN(valueAt(times, [0, 10, NaN], 1.5)));
    assert.ok(Number.isNaN(valueAt(times, [0, 10, 20], 3)));
    assert.equal(valueAt(times, [Infinity, 1, 1], 0), Infinity);
    assert.ok(spansDecades([[1e-6, 1, Infinity]]) && !spansDecades([[0, 1, 1e6]]) && !spansDecades([[1, 2]]));
});

test("curves are grouped by what people look at together", () => {
    const curve = (name, unit) => ({ name, unit, meaning: "" });
    const heads = [curve("kinetic_energy", "J"), curve("total_energy", "J"), curve("smallest_gap", "m"), curve("a.b.force_x", "N"), curve("a.b.x", "m"), curve("newton_iterations", "")];
    const { together, alone } = groups(heads);
    assert.deepEqual(together.map((group) => group.title), ["Energies", "Smallest gap", "a.b: force", "a.b: position", "Newton iterations"]);
    assert.equal(alone.length, 6);
    assert.deepEqual(firstGroups(together, 3).map((group) => group.title), ["Energies", "Smallest gap", "a.b: force"]);
    assert.equal(shortName("a.b.force_x", ["a.b.force_x", "a.b.force_y"]), "force x");
});

test("the clock plays, loops, stops and copes with equal times", () => {
    const clock = new Playback([0, 1, 3]);
    clock.toggle();
    clock.advance(1.5);
    assert.equal(clock.frame, 1);
    clock.advance(1.7);
    assert.equal(clock.frame, 2);
    clock.advance(5);
    assert.equal(clock.frame, 0);
    clock.loop = false;
    clock.advance(99);
    assert.deepEqual([clock.frame, clock.playing], [2, false]);
    for (const frame of [0, 1, 2]) {
        clock.seek(frame);
        assert.equal(clock.frame, frame);
    }
    const same = new Playback([7, 7, 7]);
    same.seek(2);
    assert.equal(same.frame, 2);
    assert.equal(niceSpeed(8e-3), 1 / 1024);
    assert.deepEqual([speedLabel(1), speedLabel(0.125), speedLabel(4)], ["×1", "×1/8", "×4"]);
});

test("creases have two normals, flat places one", () => {
    const points = Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]);
    const flat = shadingCorners(Uint32Array.from([0, 1, 2]), points, 4);
    assert.equal(flat.slots, 3);
    const bent = shadingCorners(Uint32Array.from([0, 1, 2, 1, 0, 3]), points, 4);
    assert.equal(bent.slots, 6);
    assert.deepEqual([...outline(Uint32Array.from([0, 1, 2, 2, 1, 3]))].length, 8);
});

test("links say what they were told", () => {
    const link = { frame: 12, field: "velocity.size", camera: [1, 2, 3, 0, 0, 0, 1] };
    assert.deepEqual(parseLink(linkText(link)), link);
    assert.deepEqual(parseLink("#frame=x&camera=1,b"), {});
});

test("vectors have components and sizes", () => {
    const values = Float32Array.from([3, 4, 0, NaN, 0, 0]);
    assert.deepEqual([...numbersOf(values, 3, 1)], [4, 0]);
    assert.equal(numbersOf(values, 3, "size")[0], 5);
    assert.ok(Number.isNaN(numbersOf(values, 3, "size")[1]));
});
