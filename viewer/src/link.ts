/** What a link to a page says: `#frame=12&field=velocity.size&camera=…`. */
export interface Link {
    frame?: number;
    field?: string;
    camera?: number[];
}

export function parseLink(hash: string): Link {
    const items = new URLSearchParams(hash.replace(/^#/, ""));
    const link: Link = {};
    const frame = Number(items.get("frame") ?? NaN);
    if (Number.isInteger(frame) && frame >= 0) link.frame = frame;
    const field = items.get("field");
    if (field) link.field = field;
    const camera = items.get("camera")?.split(",").map(Number);
    if (camera?.every(Number.isFinite)) link.camera = camera;
    return link;
}

export function linkText(link: Link): string {
    const items = new URLSearchParams();
    if (link.frame !== undefined) items.set("frame", `${link.frame}`);
    if (link.field && link.field !== "body") items.set("field", link.field);
    if (link.camera) items.set("camera", link.camera.map((x) => Number(x.toPrecision(5))).join(","));
    return "#" + decodeURIComponent(items.toString());
}
