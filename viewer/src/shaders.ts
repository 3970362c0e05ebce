/** Vertices come from textures, found by their number: what moves is uploaded once a frame, whatever is drawn. */
const FETCH = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
precision highp isampler2D;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform sampler2D positions, values;
uniform int base, valueMode;
ivec2 at(int index) { return ivec2(index & 1023, index >> 10); }
vec3 positionOf(int vertex) { return texelFetch(positions, at(vertex), 0).xyz; }
float valueOf(int index) { return texelFetch(values, at(index), 0).r; }
`;

/** Colours: mode 0 is the body's, 1 values at vertices, 2 values at triangles; with categories the nearest vertex counts. */
const COLOUR = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
uniform int valueMode;
uniform bool categories;
uniform vec2 range;
uniform sampler2D colours;
uniform vec3 colour, missing, background;
uniform vec4 section;
uniform float opacity;
in vec3 place, viewPlace;
vec3 mapped(float value) {
    float share = clamp((value - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
    return texture(colours, vec2((0.5 + 255.0 * share) / 256.0, 0.5)).rgb;
}
void cut() { if (dot(section.xyz, place) > section.w) discard; }
#ifdef PICK
uniform float firstId;
out vec4 pixel;
void put(int index) {
    uint id = uint(firstId) + uint(index);
    pixel = vec4(id & 255u, (id >> 8) & 255u, (id >> 16) & 255u, id >> 24) / 255.0;
}
#else
out vec4 pixel;
#endif
`;

export const TRIANGLE_VERTEX = /* glsl */ `
${FETCH}
uniform usampler2D corners;
uniform isampler2D normals;
uniform float layer;
out vec3 place, viewPlace, share, normal;
flat out vec3 three;
flat out int triangle;
void main() {
    int corner = base + gl_VertexID;
    triangle = corner / 3;
    uvec2 found = texelFetch(corners, at(corner), 0).rg;
    place = positionOf(int(found.x));
    normal = mat3(modelViewMatrix) * vec3(texelFetch(normals, at(int(found.y)), 0).xyz) / 32767.0;
    int k = corner - 3 * triangle;
    share = vec3(k == 0, k == 1, k == 2);
    three = vec3(0.0);
    if (valueMode == 1) {
        for (int i = 0; i < 3; i++) three[i] = valueOf(int(texelFetch(corners, at(3 * triangle + i), 0).r));
    } else if (valueMode == 2) {
        three = vec3(valueOf(triangle));
    }
    vec4 view = modelViewMatrix * vec4(place, 1.0);
    viewPlace = view.xyz;
    gl_Position = projectionMatrix * view;
    gl_Position.z += layer * gl_Position.w;
}`;

export const TRIANGLE_FRAGMENT = /* glsl */ `
${COLOUR}
uniform bool flatLight, solid;
uniform float lines, lineShare, fadeFrom;
uniform vec3 up, lineColour;
in vec3 share, normal;
flat in vec3 three;
flat in int triangle;
#ifndef PICK
vec3 surfaceColour() {
    if (valueMode == 0) return colour;
    vec3 b = share;
    if (categories) {
        float value = b.x > b.y ? (b.x > b.z ? three.x : three.z) : (b.y > b.z ? three.y : three.z);
        return value > -1e37 ? mapped(value) : missing;
    }
    vec3 weight = b * vec3(greaterThan(three, vec3(-1e37)));
    float sum = weight.x + weight.y + weight.z;
    if (sum < 0.5) return missing;
    vec3 clean = vec3(three.x > -1e37 ? three.x : 0.0, three.y > -1e37 ? three.y : 0.0, three.z > -1e37 ? three.z : 0.0);
    return mapped(dot(weight, clean) / sum);
}
vec3 lit(vec3 base) {
    vec3 facet = normalize(cross(dFdx(viewPlace), dFdy(viewPlace)));
    vec3 n = length(normal) > 0.1 ? normalize(normal) : facet;
    if (dot(facet, n) < 0.0) n = -n;
    vec3 eye = normalize(-viewPlace);
    float key = max(dot(n, normalize(vec3(-0.45, 0.75, 0.6))), 0.0);
    float fill = max(dot(n, normalize(vec3(0.7, 0.1, 0.55))), 0.0);
    float sky = 0.5 + 0.5 * dot(n, up);
    float shine = pow(max(dot(reflect(-normalize(vec3(-0.45, 0.75, 0.6)), n), eye), 0.0), 24.0);
    float light = 0.56 + 0.16 * sky + 0.34 * key + 0.14 * fill;
    // Colours that are values stay near to those of the colour bar.
    return valueMode == 0 ? base * light + 0.06 * shine : base * mix(1.0, light, 0.5) + 0.03 * (light - 0.6);
}
#endif
void main() {
    cut();
#ifdef PICK
    put(triangle);
#else
    vec3 result = surfaceColour();
    bool inside = solid && section.w < 1e30 && !gl_FrontFacing;
    if (inside) result = mix(result, vec3(0.5), 0.25) * 0.82;
    else if (!flatLight) result = lit(result);
    vec3 d = fwidth(share);
    vec3 edge = smoothstep(vec3(0.0), 0.9 * d, share);
    float size = 1.0 / max(max(d.x, d.y), max(d.z, 1e-6));
    float strength = lines * lineShare * clamp((size - 4.0) / 16.0, 0.0, 1.0);
    if (!inside) result = mix(result, lineColour, strength * (1.0 - min(edge.x, min(edge.y, edge.z))));
    float far = smoothstep(fadeFrom, 3.0 * fadeFrom, length(place));
    pixel = vec4(mix(result, background, far), opacity);
#endif
}`;

/** Edges as capsules of constant width on the screen. */
export const LINE_VERTEX = /* glsl */ `
${FETCH}
uniform usampler2D ends;
uniform vec2 resolution;
uniform float width, layer;
out vec3 place, viewPlace;
out vec2 across;
out float value;
flat out float lengthInWidths;
flat out int edge;
void main() {
    int number = base + gl_VertexID / 6;
    edge = number;
    uvec2 pair = texelFetch(ends, at(number), 0).rg;
    int k = gl_VertexID % 6;
    float along = (k == 1 || k == 2 || k == 4) ? 1.0 : 0.0;
    float side = (k == 0 || k == 1 || k == 3) ? -1.0 : 1.0;
    vec3 p = positionOf(int(pair.x)), q = positionOf(int(pair.y));
    vec4 a = projectionMatrix * modelViewMatrix * vec4(p, 1.0);
    vec4 b = projectionMatrix * modelViewMatrix * vec4(q, 1.0);
    float near = 1e-4;
    if (a.w < near && b.w > near) a = mix(a, b, (near - a.w) / (b.w - a.w));
    if (b.w < near && a.w > near) b = mix(b, a, (near - b.w) / (a.w - b.w));
    vec2 direction = (b.xy / b.w - a.xy / a.w) * resolution * 0.5;
    float size = length(direction);
    direction = size > 1e-6 ? direction / size : vec2(1.0, 0.0);
    lengthInWidths = size / (0.5 * width);
    across = vec2(along > 0.5 ? lengthInWidths + 1.0 : -1.0, side);
    vec2 shift = direction * (2.0 * along - 1.0) + vec2(-direction.y, direction.x) * side;
    vec4 end = along > 0.5 ? b : a;
    end.xy += shift * width / resolution * end.w;
    end.z += layer * end.w;
    place = along > 0.5 ? q : p;
    viewPlace = (modelViewMatrix * vec4(place, 1.0)).xyz;
    value = valueMode == 1 ? valueOf(int(along > 0.5 ? pair.y : pair.x)) : -2e37;
    gl_Position = end;
}`;

export const LINE_FRAGMENT = /* glsl */ `
${COLOUR}
uniform bool flatLight;
in vec2 across;
in float value;
flat in float lengthInWidths;
flat in int edge;
void main() {
    cut();
    float beyond = max(max(-across.x, across.x - lengthInWidths), 0.0);
    float off = length(vec2(beyond, across.y));
    if (off > 1.0) discard;
#ifdef PICK
    put(edge);
#else
    vec3 result = valueMode == 0 ? colour : value > -1e37 ? mapped(value) : missing;
    if (!flatLight) result *= 0.62 + 0.42 * sqrt(1.0 - across.y * across.y);
    pixel = vec4(result, opacity);
#endif
}`;

/** Contacts as dots. */
export const DOT_VERTEX = /* glsl */ `
precision highp float;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform float width;
in vec3 position, tint;
out vec3 place, viewPlace, shade;
flat out int contact;
void main() {
    place = position;
    shade = tint;
    contact = gl_VertexID;
    viewPlace = (modelViewMatrix * vec4(position, 1.0)).xyz;
    gl_Position = projectionMatrix * vec4(viewPlace, 1.0);
    gl_Position.z -= 2e-3 * gl_Position.w;
    gl_PointSize = width;
}`;

export const DOT_FRAGMENT = /* glsl */ `
${COLOUR}
in vec3 shade;
flat in int contact;
void main() {
    cut();
    float off = 2.0 * length(gl_PointCoord - 0.5);
    if (off > 1.0) discard;
#ifdef PICK
    put(contact);
#else
    pixel = vec4(off > 0.72 ? background : shade, opacity);
#endif
}`;

/** Forces as arrows that face the camera: a shaft of constant width, and a head. */
export const ARROW_VERTEX = /* glsl */ `
precision highp float;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform vec2 resolution;
uniform float width, lengthPerForce;
in vec3 start, force, tint;
out vec3 place, viewPlace, shade;
flat out int contact;
void main() {
    vec3 tip = start + lengthPerForce * force;
    vec4 a = projectionMatrix * modelViewMatrix * vec4(start, 1.0);
    vec4 b = projectionMatrix * modelViewMatrix * vec4(tip, 1.0);
    bool hidden = a.w < 1e-4 || b.w < 1e-4 || dot(force, force) == 0.0;
    vec2 direction = (b.xy / b.w - a.xy / a.w) * resolution * 0.5;
    float size = length(direction);
    direction = size > 1e-6 ? direction / size : vec2(0.0, 1.0);
    vec2 aside = vec2(-direction.y, direction.x);
    float head = min(5.0 * width, 0.6 * size);
    float thick = min(width, 0.2 * size) * 0.5;
    int k = gl_VertexID;
    vec2 shift;
    float along;
    if (k < 6) {
        along = (k == 1 || k == 2 || k == 4) ? 1.0 : 0.0;
        float side = (k == 0 || k == 1 || k == 3) ? -1.0 : 1.0;
        shift = aside * side * thick - direction * along * head * 0.9;
    } else {
        along = 1.0;
        shift = k == 6 ? vec2(0.0) : -direction * head + aside * (k == 7 ? 1.0 : -1.0) * head * 0.42;
    }
    vec4 end = along > 0.5 ? b : a;
    end.xy += shift * 2.0 / resolution * end.w;
    end.z -= 2e-3 * end.w;
    place = start;
    viewPlace = vec3(0.0);
    shade = tint;
    contact = gl_InstanceID;
    gl_Position = hidden ? vec4(2.0, 2.0, 2.0, 1.0) : end;
}`;

export const ARROW_FRAGMENT = /* glsl */ `
${COLOUR}
in vec3 shade;
flat in int contact;
void main() {
    cut();
#ifdef PICK
    put(contact);
#else
    pixel = vec4(shade, opacity);
#endif
}`;
