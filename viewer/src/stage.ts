import {
    BufferAttribute,
    BufferGeometry,
    type Camera,
    Color,
    DataTexture,
    DoubleSide,
    DynamicDrawUsage,
    FloatType,
    GLSL3,
    InstancedBufferAttribute,
    InstancedBufferGeometry,
    Mesh,
    NearestFilter,
    NoBlending,
    type Object3D,
    type PixelFormat,
    type PixelFormatGPU,
    Points,
    RawShaderMaterial,
    RedFormat,
    RGBAFormat,
    RGBAIntegerFormat,
    RGIntegerFormat,
    Scene,
    ShortType,
    type TextureDataType,
    UnsignedByteType,
    UnsignedIntType,
    Vector2,
    Vector3,
    Vector4,
} from "three";
import { type Colour, ofHex, REGIMES } from "./colours.ts";
import type { Contacts } from "./film.ts";
import type { Header, Thing } from "./header.ts";
import { outline, shadingCorners, writeNormals } from "./normals.ts";
import * as shaders from "./shaders.ts";

/** Texels in a row of a texture of vertices: the shaders know it as well. */
const ROW = 1024;
const NO_VALUE = -3e38;

export type ForceKind = "none" | "total" | "normal" | "friction" | "both";

/** What is known of the colours of a frame. */
export interface Paint {
    mode: 0 | 1 | 2;
    categories: boolean;
    range: [number, number];
}

/** A thing as it is drawn. */
export interface Actor {
    thing: Thing;
    index: number;
    colour: Colour;
    meshes: Mesh[];
    visible: boolean;
    opacity: number;
}

interface Uniform {
    value: unknown;
}
type Uniforms = Record<string, Uniform>;

/** All that is drawn, and what it is drawn from. */
export class Stage {
    readonly scene = new Scene();
    readonly actors: Actor[];
    lengthPerForce = 1;
    private readonly shared: Uniforms;
    private readonly positions: DataTexture;
    private readonly normals: DataTexture;
    private readonly values: DataTexture;
    private readonly sums: Float32Array;
    private readonly corners: Uint32Array;
    private readonly dots: Points;
    private readonly arrows: Mesh[];
    private readonly pickers = new Map<Object3D, RawShaderMaterial>();

    constructor(
        private readonly header: Header,
        readonly triangles: Uint32Array,
        readonly edges: Uint32Array,
        first: Float32Array,
        readonly radius: number,
    ) {
        const { corners, slots } = shadingCorners(triangles, first, header.vertices);
        this.corners = corners;
        this.sums = new Float32Array(3 * slots);
        this.positions = texture(new Float32Array(4 * padded(header.vertices)), 4, RGBAFormat, FloatType, "RGBA32F");
        this.normals = texture(new Int16Array(4 * padded(slots)), 4, RGBAIntegerFormat, ShortType, "RGBA16I");
        const most = Math.max(header.vertices, header.triangles);
        this.values = texture(new Float32Array(padded(most)), 1, RedFormat, FloatType, "R32F");
        this.shared = this.uniforms();
        this.actors = header.things.map((thing, index) => this.actor(thing, index));
        this.dots = this.makeDots();
        const arrows = new InstancedBufferGeometry();
        arrows.setDrawRange(0, 9);
        arrows.instanceCount = 0;
        this.arrows = [this.makeArrows(arrows, false), this.makeArrows(arrows, true)];
    }

    /** First numbers of edges and contacts in pictures for picking; triangles begin at 1. */
    get firstEdgeId(): number {
        return 1 + this.header.triangles;
    }

    get firstContactId(): number {
        return this.firstEdgeId + this.header.edges;
    }

    setPositions(points: Float32Array): void {
        const out = this.positions.image.data as Float32Array;
        for (let i = 0, o = 0; i < points.length; i += 3, o += 4) {
            out[o] = points[i];
            out[o + 1] = points[i + 1];
            out[o + 2] = points[i + 2];
        }
        this.positions.needsUpdate = true;
        if (this.header.dimension === 2) return;
        writeNormals(this.corners, points, this.sums, this.normals.image.data as unknown as Int16Array);
        this.normals.needsUpdate = true;
    }

    /** Colours vertices or triangles by these values, NaN where there is none. */
    setValues(values: Float32Array | undefined, paint: Paint): void {
        if (values) {
            const out = this.values.image.data as Float32Array;
            for (let i = 0; i < values.length; i++) out[i] = Number.isNaN(values[i]) ? NO_VALUE : values[i];
            this.values.needsUpdate = true;
        }
        (this.shared.range.value as Vector2).set(...paint.range);
        this.shared.categories.value = paint.categories;
        for (const actor of this.actors) {
            for (const mesh of actor.meshes) uniformsOf(mesh).valueMode.value = mesh.userData.outline || actor.thing.kind === "obstacle" ? 0 : paint.mode;
        }
    }

    setColours(pixels: Uint8Array): void {
        const colours = this.shared.colours.value as DataTexture;
        (colours.image.data as Uint8Array).set(pixels);
        colours.needsUpdate = true;
    }

    /** Dots and arrows of a frame; `tints` are three numbers for each contact. */
    setContacts(contacts: Contacts, tints: Float32Array, forces: ForceKind, shown: (thing: number) => boolean): void {
        const keep = Array.from({ length: contacts.count }, (_, i) => i).filter(
            (i) => shown(contacts.things[2 * i]) || shown(contacts.things[2 * i + 1]),
        );
        const geometry = this.dots.geometry;
        const points = new Float32Array(3 * keep.length);
        const colours = new Float32Array(3 * keep.length);
        keep.forEach((i, o) => {
            points.set(contacts.points.subarray(3 * i, 3 * i + 3), 3 * o);
            colours.set(tints.subarray(3 * i, 3 * i + 3), 3 * o);
        });
        this.dots.userData.contacts = keep;
        put(geometry, "position", points, BufferAttribute);
        put(geometry, "tint", colours, BufferAttribute);
        geometry.setDrawRange(0, keep.length);
        this.setArrows(contacts, keep, colours, forces);
    }

    /** The contact that a picked number stands for. */
    contactOf(number: number): number | undefined {
        return (this.dots.userData.contacts as number[] | undefined)?.[number];
    }

    setTheme(background: string, missing: string, dark: boolean): void {
        (this.shared.background.value as Color).copy(plain(background));
        (this.shared.missing.value as Color).copy(plain(missing));
        (this.shared.lineColour.value as Color).copy(plain(dark ? "#0b0d11" : "#1d2530"));
        const grey = ofHex(dark ? "565b66" : this.header.palette.obstacle);
        for (const actor of this.actors) {
            if (actor.thing.kind === "obstacle") actor.colour = grey;
            for (const mesh of actor.meshes) {
                const colour = mesh.userData.outline ? ofHex(dark ? "e4e7ec" : "2b323c") : actor.colour;
                (uniformsOf(mesh).colour.value as Color).setRGB(...colour);
            }
        }
    }

    setLines(strength: number): void {
        this.shared.lines.value = strength;
    }

    setSection(plane: Vector4 | undefined): void {
        (this.shared.section.value as Vector4).copy(plane ?? new Vector4(0, 0, 0, 1e31));
    }

    setActor(actor: Actor): void {
        for (const mesh of actor.meshes) {
            mesh.visible = actor.visible && actor.opacity > 0;
            uniformsOf(mesh).opacity.value = actor.opacity;
            const material = mesh.material as RawShaderMaterial;
            material.transparent = actor.opacity < 1;
            material.depthWrite = actor.opacity >= 1;
        }
    }

    showContacts(dots: boolean, arrows: boolean): void {
        this.dots.visible = dots;
        for (const mesh of this.arrows) mesh.visible = arrows;
    }

    /** Sets what depends on the camera and the size of the picture, in CSS pixels. */
    prepare(camera: Camera, size: [number, number], ratio: number): void {
        (this.shared.resolution.value as Vector2).set(...size);
        const up = this.header.gravity.some((x) => x !== 0) ? new Vector3(...this.header.gravity).negate() : new Vector3(0, 1, 0);
        (this.shared.up.value as Vector3).copy(up.normalize().transformDirection(camera.matrixWorldInverse));
        uniformsOf(this.dots).width.value = (this.header.dimension === 2 ? 9 : 8) * ratio;
        for (const mesh of this.arrows) uniformsOf(mesh).lengthPerForce.value = this.lengthPerForce;
    }

    /** Draws with numbers instead of colours while `draw` runs. */
    whilePicking(draw: () => void): void {
        const before = [...this.pickers.keys()].map((object) => [object as Mesh, (object as Mesh).material] as const);
        for (const [object, material] of this.pickers) (object as Mesh).material = material;
        const shown = this.arrows.map((mesh) => mesh.visible);
        for (const mesh of this.arrows) mesh.visible = false;
        const outlines = this.actors.flatMap((actor) => actor.meshes).filter((mesh) => mesh.userData.outline && mesh.visible);
        for (const mesh of outlines) mesh.visible = false;
        draw();
        for (const mesh of outlines) mesh.visible = true;
        this.arrows.forEach((mesh, index) => (mesh.visible = shown[index]));
        for (const [object, material] of before) object.material = material;
    }

    private setArrows(contacts: Contacts, keep: number[], tints: Float32Array, kind: ForceKind): void {
        const twice = kind === "both" ? 2 : 1;
        const [starts, forces, colours] = [0, 1, 2].map(() => new Float32Array(3 * keep.length * twice));
        keep.forEach((contact, o) => {
            // Forces are drawn on the first thing, or on the body where that is an obstacle.
            const sign = this.header.things[contacts.things[2 * contact]].kind === "obstacle" ? -1 : 1;
            for (let copy = 0; copy < twice; copy++) {
                const normal = kind === "total" || kind === "normal" || (kind === "both" && copy === 0);
                const friction = kind === "total" || kind === "friction" || (kind === "both" && copy === 1);
                for (let k = 0; k < 3; k++) {
                    const to = 3 * (twice * o + copy) + k;
                    const from = 3 * contact + k;
                    starts[to] = contacts.points[from];
                    forces[to] = sign * ((normal ? contacts.normalForces[from] : 0) + (friction ? contacts.frictionForces[from] : 0));
                    colours[to] = kind === "both" && copy === 0 ? REGIMES[0][k] : tints[3 * o + k];
                }
            }
        });
        const geometry = this.arrows[0].geometry as InstancedBufferGeometry;
        put(geometry, "start", starts, InstancedBufferAttribute);
        put(geometry, "force", forces, InstancedBufferAttribute);
        put(geometry, "tint", colours, InstancedBufferAttribute);
        geometry.instanceCount = kind === "none" ? 0 : keep.length * twice;
    }

    private uniforms(): Uniforms {
        const colours = new DataTexture(new Uint8Array(4 * 256), 256, 1, RGBAFormat, UnsignedByteType);
        colours.magFilter = colours.minFilter = NearestFilter;
        const of = (value: unknown): Uniform => ({ value });
        return {
            positions: of(this.positions),
            normals: of(this.normals),
            values: of(this.values),
            corners: of(pairs(this.corners)),
            ends: of(pairs(this.edges)),
            colours: of(colours),
            range: of(new Vector2(0, 1)),
            categories: of(false),
            missing: of(new Color()),
            background: of(new Color()),
            lineColour: of(new Color()),
            section: of(new Vector4(0, 0, 0, 1e31)),
            up: of(new Vector3(0, 1, 0)),
            resolution: of(new Vector2(1, 1)),
            lines: of(0),
            flatLight: of(this.header.dimension === 2),
        };
    }

    private bodyColour(index: number): Colour {
        const { bodies } = this.header.palette;
        return ofHex(bodies[index % bodies.length]);
    }

    private actor(thing: Thing, index: number): Actor {
        const obstacle = thing.kind === "obstacle";
        const actor: Actor = { thing, index, colour: this.bodyColour(index), meshes: [], visible: true, opacity: 1 };
        const layer = this.header.dimension === 2 ? (obstacle ? 2e-3 : 1e-3) : 0;
        const own = { colour: { value: new Color() }, opacity: { value: 1 }, valueMode: { value: 0 }, layer: { value: layer } };
        const fadeFrom = { value: obstacle ? 4.5 * this.radius : 1e9 };
        if (thing.triangles[1] > thing.triangles[0]) {
            const solid = { value: thing.kind === "solid" && this.header.dimension === 3 };
            const more = { ...own, base: { value: 3 * thing.triangles[0] }, fadeFrom, solid, lineShare: { value: obstacle ? 0.4 : 1 }, firstId: { value: 1 } };
            this.add(actor, 3 * (thing.triangles[1] - thing.triangles[0]), more, [shaders.TRIANGLE_VERTEX, shaders.TRIANGLE_FRAGMENT]);
            if (this.header.dimension === 2) this.addOutline(actor);
        }
        if (thing.edges[1] > thing.edges[0]) {
            const more = { ...own, base: { value: thing.edges[0] }, width: { value: 7 }, firstId: { value: this.firstEdgeId } };
            this.add(actor, 6 * (thing.edges[1] - thing.edges[0]), more, [shaders.LINE_VERTEX, shaders.LINE_FRAGMENT]);
        }
        return actor;
    }

    private addOutline(actor: Actor): void {
        const ends = outline(this.triangles.subarray(3 * actor.thing.triangles[0], 3 * actor.thing.triangles[1]));
        const of = (value: unknown): Uniform => ({ value });
        const more = { ends: of(pairs(ends)), base: of(0), width: of(1.6), colour: of(new Color()), opacity: of(1), valueMode: of(0), layer: of(5e-4) };
        this.add(actor, 3 * ends.length, { ...more, firstId: of(0) }, [shaders.LINE_VERTEX, shaders.LINE_FRAGMENT]);
        actor.meshes[actor.meshes.length - 1].userData.outline = true;
    }

    private add(actor: Actor, count: number, more: Uniforms, code: [string, string]): void {
        const geometry = new BufferGeometry();
        geometry.setDrawRange(0, count);
        const mesh = new Mesh(geometry, this.material(code, more));
        this.register(mesh, code, more);
        actor.meshes.push(mesh);
    }

    private register(object: Mesh | Points, code: [string, string], more: Uniforms): void {
        object.frustumCulled = false;
        this.scene.add(object);
        const picker = this.material(code, more);
        picker.defines = { PICK: 1 };
        picker.blending = NoBlending;
        this.pickers.set(object, picker);
    }

    private material([vertexShader, fragmentShader]: [string, string], more: Uniforms): RawShaderMaterial {
        const uniforms = { ...this.shared, ...more };
        return new RawShaderMaterial({ vertexShader, fragmentShader, uniforms, glslVersion: GLSL3, side: DoubleSide });
    }

    private makeDots(): Points {
        const more = { width: { value: 8 }, opacity: { value: 1 }, firstId: { value: this.firstContactId } };
        const code: [string, string] = [shaders.DOT_VERTEX, shaders.DOT_FRAGMENT];
        const dots = new Points(new BufferGeometry(), this.material(code, more));
        this.register(dots, code, more);
        return dots;
    }

    /** Arrows are drawn twice: behind surfaces faintly, before them fully. */
    private makeArrows(geometry: BufferGeometry, behind: boolean): Mesh {
        const more = { width: { value: 2 }, opacity: { value: behind ? 0.28 : 1 }, lengthPerForce: { value: 1 } };
        const material = this.material([shaders.ARROW_VERTEX, shaders.ARROW_FRAGMENT], more);
        material.transparent = true;
        material.depthTest = !behind;
        material.depthWrite = false;
        const mesh = new Mesh(geometry, material);
        mesh.frustumCulled = false;
        mesh.renderOrder = behind ? 2 : 3;
        this.scene.add(mesh);
        return mesh;
    }
}

function uniformsOf(object: Mesh | Points): Uniforms {
    return (object.material as RawShaderMaterial).uniforms;
}

/** A colour as it is on the screen: shaders compute with these. */
function plain(hex: string): Color {
    const [r, g, b] = ofHex(hex.replace("#", ""));
    return new Color().setRGB(r, g, b);
}

function padded(count: number): number {
    return ROW * Math.max(1, Math.ceil(count / ROW));
}

function pairs(numbers: Uint32Array): DataTexture {
    const data = new Uint32Array(2 * padded(numbers.length / 2));
    data.set(numbers);
    return texture(data, 2, RGIntegerFormat, UnsignedIntType, "RG32UI");
}

function texture(data: Float32Array | Int16Array | Uint32Array, parts: number, format: PixelFormat, type: TextureDataType, inside: PixelFormatGPU): DataTexture {
    const made = new DataTexture(data as Float32Array<ArrayBuffer>, ROW, data.length / parts / ROW, format, type);
    made.internalFormat = inside;
    made.magFilter = made.minFilter = NearestFilter;
    made.generateMipmaps = false;
    made.unpackAlignment = 1;
    made.needsUpdate = true;
    return made;
}

/** Puts numbers into an attribute, which is made anew only where it is too small. */
function put(geometry: BufferGeometry, name: string, numbers: Float32Array, Kind: typeof BufferAttribute): void {
    const old = geometry.getAttribute(name) as BufferAttribute | undefined;
    if (old && old.array.length >= numbers.length) {
        (old.array as Float32Array).set(numbers);
        old.needsUpdate = true;
        return;
    }
    const room = new Float32Array(Math.max(48, Math.ceil(1.5 * numbers.length / 3) * 3));
    room.set(numbers);
    geometry.setAttribute(name, new Kind(room, 3).setUsage(DynamicDrawUsage));
    // three.js remembers how many instances the old one had.
    delete (geometry as { _maxInstanceCount?: number })._maxInstanceCount;
}

