import { MOUSE, OrthographicCamera, PerspectiveCamera, TOUCH, Vector3, WebGLRenderer, WebGLRenderTarget } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Box, Header } from "./header.ts";
import type { Stage } from "./stage.ts";

/** Half the width of the square in which something thin can be picked, in pixels. */
const REACH = 5;
const FIELD_OF_VIEW = 32;

/** The camera, and what it sees. */
export class View {
    readonly camera: PerspectiveCamera | OrthographicCamera;
    readonly controls: OrbitControls;
    readonly up: Vector3;
    readonly radius: number;
    private readonly renderer: WebGLRenderer;
    private readonly target = new WebGLRenderTarget(2 * REACH + 1, 2 * REACH + 1);
    /** Corners of boxes around the bodies, which the camera keeps in sight. */
    private readonly corners: Vector3[];
    private dirty = true;
    private size: [number, number] = [1, 1];

    constructor(
        private readonly canvas: HTMLCanvasElement,
        private readonly header: Header,
    ) {
        this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
        this.renderer.info.autoReset = true;
        const box = shownBox(header);
        this.corners = cornersOf(header, box);
        this.radius = Math.max(0.5 * size(box), 1e-9);
        const gravity = new Vector3(...header.gravity);
        this.up = header.dimension === 3 && gravity.length() > 0 ? gravity.negate().normalize() : new Vector3(0, 1, 0);
        this.camera = header.dimension === 2 ? new OrthographicCamera() : new PerspectiveCamera(FIELD_OF_VIEW);
        this.camera.up.copy(this.up);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.18;
        this.controls.zoomToCursor = true;
        this.controls.minDistance = this.radius * 1e-3;
        this.controls.maxDistance = this.radius * 60;
        this.controls.addEventListener("change", () => this.redraw());
        if (header.dimension === 2) this.panOnly();
    }

    private panOnly(): void {
        this.controls.enableRotate = false;
        this.controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
        this.controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
    }

    redraw(): void {
        this.dirty = true;
    }

    resize(): void {
        const { clientWidth, clientHeight } = this.canvas.parentElement ?? this.canvas;
        if (clientWidth === this.size[0] && clientHeight === this.size[1]) return;
        this.size = [Math.max(1, clientWidth), Math.max(1, clientHeight)];
        this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
        this.renderer.setSize(...this.size, false);
        this.shape();
        this.redraw();
    }

    private shape(): void {
        const aspect = this.size[0] / this.size[1];
        const { camera } = this;
        if (camera instanceof PerspectiveCamera) {
            camera.aspect = aspect;
        } else {
            [camera.left, camera.right] = [-this.radius * aspect, this.radius * aspect];
            [camera.top, camera.bottom] = [this.radius, -this.radius];
        }
        this.depth();
    }

    private depth(): void {
        const { camera, radius } = this;
        const distance = camera.position.distanceTo(this.controls.target);
        camera.near = camera instanceof PerspectiveCamera ? Math.max(0.02 * distance, 1e-4 * radius) : 0.1 * radius;
        camera.far = distance + 60 * radius;
        camera.updateProjectionMatrix();
    }

    /** Shows all bodies, from a direction or from where the camera is. */
    fit(from?: Vector3): void {
        const { camera } = this;
        const back = (from ?? camera.position.clone().sub(this.controls.target)).clone().normalize();
        const { middle, half } = this.extent(back);
        if (camera instanceof OrthographicCamera) {
            const wide = (camera.right - camera.left) / (2 * half.x + 1e-30);
            camera.zoom = 0.9 * Math.min(wide, this.radius / (half.y + 1e-30));
            camera.position.copy(middle).addScaledVector(back, 10 * this.radius);
        } else {
            const tangent = Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
            const distance = half.z + 1.1 * Math.max(half.x / (tangent * camera.aspect), half.y / tangent);
            camera.position.copy(middle).addScaledVector(back, Math.max(distance, 1e-3 * this.radius));
        }
        this.controls.target.copy(middle);
        this.controls.update();
        this.depth();
        this.redraw();
    }

    /** The middle of the bodies and half their size, seen from a direction: to the right, upwards, and towards the camera. */
    private extent(back: Vector3): { middle: Vector3; half: Vector3 } {
        const right = new Vector3().crossVectors(this.up, back);
        if (right.length() < 1e-6) right.set(1, 0, 0);
        right.normalize();
        const axes = [right, new Vector3().crossVectors(back, right), back];
        const [middle, half] = [new Vector3(), new Vector3()];
        axes.forEach((axis, k) => {
            const places = this.corners.map((corner) => corner.dot(axis));
            const [low, high] = [Math.min(...places), Math.max(...places)];
            middle.addScaledVector(axis, 0.5 * (low + high));
            half.setComponent(k, 0.5 * (high - low));
        });
        return { middle, half };
    }

    /** From the front, a little from the right and above. */
    home(): void {
        if (this.header.dimension === 2) return this.fit(new Vector3(0, 0, 1));
        const { right, front } = this.basis();
        this.fit(right.multiplyScalar(0.5).addScaledVector(front, 0.9).addScaledVector(this.up, 0.5));
    }

    /** Along one of the axes: 0 from the right, 1 from the front, 2 from above. */
    along(axis: number): void {
        if (this.header.dimension === 2) return this.home();
        const { right, front } = this.basis();
        this.fit([right, front, this.up.clone().addScaledVector(front, 1e-3)][axis]);
    }

    private basis(): { right: Vector3; front: Vector3 } {
        const axis = Math.abs(this.up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
        const right = axis.addScaledVector(this.up, -axis.dot(this.up)).normalize();
        return { right, front: new Vector3().crossVectors(right, this.up) };
    }

    /** Draws where something has changed. */
    draw(stage: Stage, background: string): boolean {
        this.resize();
        this.controls.update();
        if (!this.dirty) return false;
        this.dirty = false;
        this.depth();
        this.camera.updateMatrixWorld();
        stage.prepare(this.camera, this.size, this.renderer.getPixelRatio());
        this.renderer.setClearColor(background);
        this.renderer.render(stage.scene, this.camera);
        return true;
    }

    /** The number of what is at a pixel, 0 for nothing; contacts and rods nearby come first. */
    pick(stage: Stage, x: number, y: number): number {
        const side = 2 * REACH + 1;
        const { camera, renderer, target } = this;
        camera.setViewOffset(this.size[0], this.size[1], Math.round(x) - REACH, Math.round(y) - REACH, side, side);
        camera.updateMatrixWorld();
        stage.prepare(camera, [side, side], 1);
        const pixels = new Uint8Array(4 * side * side);
        stage.whilePicking(() => {
            renderer.setRenderTarget(target);
            renderer.setClearColor(0, 0);
            renderer.clear();
            renderer.render(stage.scene, camera);
            renderer.readRenderTargetPixels(target, 0, 0, side, side, pixels);
            renderer.setRenderTarget(null);
        });
        camera.clearViewOffset();
        this.redraw();
        return nearestNumber(new Uint32Array(pixels.buffer), side, stage.firstEdgeId);
    }

    /** The line of sight through a pixel. */
    ray(x: number, y: number): { from: Vector3; along: Vector3 } {
        const at = (depth: number) =>
            new Vector3((2 * x) / this.size[0] - 1, 1 - (2 * y) / this.size[1], depth).unproject(this.camera);
        const from = at(-1);
        return { from, along: at(1).sub(from).normalize() };
    }

    /** The pixel of a place; undefined where it is behind the camera. */
    pixel(place: Vector3): [number, number] | undefined {
        const clip = place.clone().project(this.camera);
        if (clip.z > 1) return undefined;
        return [((clip.x + 1) * this.size[0]) / 2, ((1 - clip.y) * this.size[1]) / 2];
    }

    /** Position, target and zoom of the camera, for links. */
    get pose(): number[] {
        return [...this.camera.position.toArray(), ...this.controls.target.toArray(), this.camera.zoom];
    }

    set pose(numbers: number[]) {
        if (numbers.length !== 7 || !numbers.every(Number.isFinite)) return;
        this.camera.position.set(numbers[0], numbers[1], numbers[2]);
        this.controls.target.set(numbers[3], numbers[4], numbers[5]);
        this.camera.zoom = Math.max(1e-6, numbers[6]);
        this.controls.update();
        this.redraw();
    }
}

/** The number nearest to the middle of those from `thin` on, otherwise the number in the middle. */
function nearestNumber(numbers: Uint32Array, side: number, thin: number): number {
    const middle = (side - 1) / 2;
    let [best, shortest] = [numbers[middle * side + middle], Infinity];
    numbers.forEach((number, index) => {
        const distance = Math.hypot((index % side) - middle, Math.floor(index / side) - middle);
        if (number >= thin && distance <= REACH && distance < shortest) [best, shortest] = [number, distance];
    });
    return best;
}

/** Where bodies are during the film, or at the start if they go far away. */
function shownBox(header: Header): Box {
    const far = size(header.bounds) > 6 * size(header.start) && size(header.start) > 0;
    return far ? header.start : header.bounds;
}

/** Corners of the boxes of all bodies, or of the one box where they go far away; relative to the centre. */
function cornersOf(header: Header, box: Box): Vector3[] {
    const bodies = header.things.filter((thing) => thing.kind !== "obstacle");
    const own = header.parts.filter((part) => bodies.some((body) => body.vertices[0] <= part.vertices[0] && part.vertices[1] <= body.vertices[1]));
    const boxes = box === header.bounds && own.length > 0 && own.length < 2000 ? own.map((part) => part.bounds) : [box];
    return boxes.flatMap(({ low, high }) =>
        Array.from({ length: 8 }, (_, corner) => {
            const place = low.map((x, axis) => ((corner >> axis) & 1 ? high[axis] : x) - header.centre[axis]);
            return new Vector3(...place);
        }),
    );
}

function size(box: Box): number {
    return Math.hypot(...box.high.map((x, axis) => x - box.low[axis]));
}
