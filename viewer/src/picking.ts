import { Vector3 } from "three";
import type { Header } from "./header.ts";
import type { Stage } from "./stage.ts";

/** What was picked; it stays picked while the film plays. Contacts belong to one frame only. */
export type Pick =
    | { kind: "triangle"; triangle: number; vertex: number; thing: number; share: [number, number, number] }
    | { kind: "edge"; edge: number; vertex: number; thing: number }
    | { kind: "contact"; contact: number };

export interface Ray {
    from: Vector3;
    along: Vector3;
}

/** What a number of a picture for picking stands for. */
export function pickOf(number: number, stage: Stage, header: Header, points: Float32Array, ray: Ray): Pick | undefined {
    if (number === 0) return undefined;
    if (number >= stage.firstContactId) {
        const contact = stage.contactOf(number - stage.firstContactId);
        return contact === undefined ? undefined : { kind: "contact", contact };
    }
    if (number >= stage.firstEdgeId) return pickEdge(number - stage.firstEdgeId, stage, header, points, ray);
    return pickTriangle(number - 1, stage, header, points, ray);
}

function pickEdge(edge: number, stage: Stage, header: Header, points: Float32Array, ray: Ray): Pick {
    const ends = [...stage.edges.subarray(2 * edge, 2 * edge + 2)];
    const away = ends.map((vertex) => distanceToRay(pointAt(points, vertex), ray));
    const thing = header.things.findIndex((one) => edge >= one.edges[0] && edge < one.edges[1]);
    return { kind: "edge", edge, vertex: ends[away[0] <= away[1] ? 0 : 1], thing };
}

function pickTriangle(triangle: number, stage: Stage, header: Header, points: Float32Array, ray: Ray): Pick {
    const corners = [...stage.triangles.subarray(3 * triangle, 3 * triangle + 3)];
    const [a, b, c] = corners.map((vertex) => pointAt(points, vertex));
    const share = sharesAt(a, b, c, ray);
    const vertex = corners[share.indexOf(Math.max(...share))];
    const thing = header.things.findIndex((one) => triangle >= one.triangles[0] && triangle < one.triangles[1]);
    return { kind: "triangle", triangle, vertex, thing, share };
}

/** Barycentric coordinates of where a line of sight meets the plane of a triangle. */
export function sharesAt(a: Vector3, b: Vector3, c: Vector3, ray: Ray): [number, number, number] {
    const [u, v] = [b.clone().sub(a), c.clone().sub(a)];
    const normal = u.clone().cross(v);
    const depth = a.clone().sub(ray.from).dot(normal) / ray.along.dot(normal);
    const hit = ray.from.clone().addScaledVector(ray.along, depth).sub(a);
    const area = normal.lengthSq();
    const second = hit.clone().cross(v).dot(normal) / area;
    const third = u.clone().cross(hit).dot(normal) / area;
    if (!Number.isFinite(second + third)) return [1, 0, 0];
    const clamp = (share: number) => Math.min(1, Math.max(0, share));
    return [clamp(1 - second - third), clamp(second), clamp(third)];
}

/** Where a picked thing is. */
export function placeOf(pick: Pick, stage: Stage, points: Float32Array, contacts: Float32Array): Vector3 | undefined {
    if (pick.kind === "contact") return 3 * pick.contact < contacts.length ? pointAt(contacts, pick.contact) : undefined;
    if (pick.kind === "edge") return pointAt(points, pick.vertex);
    const sum = new Vector3();
    pick.share.forEach((share, k) => sum.addScaledVector(pointAt(points, stage.triangles[3 * pick.triangle + k]), share));
    return sum;
}

export function pointAt(points: Float32Array, index: number): Vector3 {
    return new Vector3(points[3 * index], points[3 * index + 1], points[3 * index + 2]);
}

function distanceToRay(place: Vector3, ray: Ray): number {
    return place.clone().sub(ray.from).cross(ray.along).length();
}
