// Tests pages in a browser: `npm run browser -- 3D.html [2D.html [NAMES.html [RODS.html]]] [--shots FOLDER]`.
// Without paths it makes its own films: `cargo run -p stiction-view --example sample-page`. It needs a Chromium, on the PATH or in $CHROMIUM, and
// says so where there is none. Pages of real runs can be given as well: the first must be in 3D, the second in 2D.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const FLAGS = [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const repository = fileURLToPath(new URL("../..", import.meta.url));
const paths = process.argv.slice(2);
const shotsAt = paths.indexOf("--shots");
const shots = shotsAt >= 0 ? resolve(paths.splice(shotsAt, 2)[1]) : undefined;
if (shots) mkdirSync(shots, { recursive: true });

const executablePath = findChromium();
if (!executablePath) {
    console.log("skipped: there is no Chromium on the PATH, so the page was not tested in a browser");
    process.exit(0);
}
const browser = await launch();
// Here, as a Chromium from a snap does not see /tmp.
const output = join(repository, "viewer/test/out");
mkdirSync(output, { recursive: true });
const folder = mkdtempSync(join(output, "pages-"));
const [solid, plane, names, rods] = paths.length > 0 ? paths.map((path) => resolve(path)) : ["3d", "2d", "names", "rods"].map(sample);
const begin = Date.now();
const problems = [];
try {
    await testSolid(solid);
    await testTouch(solid);
    if (plane) await testPlane(plane);
    if (names) await testNames(names);
    if (rods) await testRods(rods);
    await testNotebook(plane ?? solid);
    await testDamage(plane ?? solid);
    await testWithoutWebGl(plane ?? solid);
} finally {
    await browser.close();
    rmSync(folder, { recursive: true });
}
console.log(`all pages work (${((Date.now() - begin) / 1000).toFixed(1)} s)`);

function findChromium() {
    const folders = (process.env.PATH ?? "").split(delimiter);
    const found = ["chromium", "chromium-browser", "google-chrome", "chrome"].flatMap((name) => folders.map((one) => join(one, name)));
    return [process.env.CHROMIUM, ...found].find((path) => path && existsSync(path));
}

/** A Chromium that was named must work; one that happens to be there may not. */
async function launch() {
    try {
        return await chromium.launch({ executablePath, args: FLAGS });
    } catch (error) {
        if (process.env.CHROMIUM) throw error;
        console.log(`skipped: ${executablePath} does not start, so the page was not tested in a browser: ${error.message.split("\n")[0]}`);
        process.exit(0);
    }
}

function sample(kind) {
    const path = join(folder, `${kind}.html`);
    execFileSync("cargo", ["run", "--quiet", "-p", "stiction-view", "--example", "sample-page", "--", path, kind], { cwd: repository });
    return path;
}

/** Opens a page without network; requests, errors and dialogs are problems. */
async function open(path, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, offline: true, ...options });
    const page = await context.newPage();
    problems.length = 0;
    page.on("console", (message) => message.type() === "error" && problems.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => problems.push(`dialog: ${dialog.message()}`) && dialog.dismiss());
    page.on("request", (request) => {
        if (!/^(file|data|blob|about):/.test(request.url())) problems.push(`request: ${request.url()}`);
    });
    await page.goto(pathToFileURL(path).href + (options.hash ?? ""));
    await page.waitForFunction(() => document.documentElement.dataset.state !== undefined, null, { timeout: 60000 });
    return page;
}

async function close(page, what) {
    assert.deepEqual(problems, []);
    await page.context().close();
    console.log(`ok: ${what}`);
}

function frameOf(page) {
    return page.evaluate(() => Number(document.getElementById("state").dataset.frame));
}

function poseOf(page) {
    return page.evaluate(() => window.stiction.view.pose.join());
}

function count(page) {
    return page.evaluate(() => window.stiction.film.count);
}

/** What the picture looks like, once it is drawn. */
async function picture(page, name) {
    await settled(page);
    if (shots && name) await page.screenshot({ path: join(shots, `${name}.png`) });
    return (await page.locator("#canvas").screenshot()).toString("base64");
}

/** Waits until nothing is drawn any more. */
async function settled(page) {
    await page.evaluate(async () => {
        const next = () => new Promise((done) => requestAnimationFrame(done));
        for (let drawn = -1, still = 0; still < 4; ) {
            await next();
            still = window.stiction.drawn === drawn ? still + 1 : 0;
            drawn = window.stiction.drawn;
        }
    });
}

/** Does something, and asserts that the picture changes. */
async function changes(page, what, act) {
    const before = await picture(page);
    await act();
    assert.notEqual(await picture(page, what.replaceAll(" ", "-")), before, `${what} changes nothing`);
}

/** A pixel at which something can be picked, and what the card then says. */
async function pickSomething(page) {
    const box = await page.locator("#canvas").boundingBox();
    for (let i = 1; i < 10; i++) {
        for (let j = 8; j > 0; j--) {
            await page.mouse.click(box.x + (box.width * i) / 10, box.y + (box.height * j) / 9);
            await page.waitForTimeout(20);
            const text = await page.locator("#card").textContent();
            if (!(await page.locator("#card").isHidden()) && !/obstacle/.test(text)) return text;
            await page.keyboard.press("Escape");
        }
    }
    return assert.fail("nothing can be picked");
}

async function testSolid(path) {
    const page = await open(path);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.state), "ready");
    const frames = await count(page);
    await picture(page, "start");
    await testTime(page, frames);
    await testCamera(page);
    await testColours(page);
    await testPicking(page);
    await testToggles(page);
    await close(page, "3D: time, camera, colours, picking, settings");
    const linked = await open(path, { hash: `#frame=${frames - 1}`, colorScheme: "dark" });
    assert.equal(await frameOf(linked), frames - 1);
    assert.ok(await linked.evaluate(() => document.documentElement.classList.contains("dark")));
    await picture(linked, "dark");
    await close(linked, "links, and the colours of the system");
}

async function testTime(page, frames) {
    await page.click("#play");
    await page.waitForFunction(() => Number(document.getElementById("state").dataset.frame) > 2, null, { timeout: 20000 });
    await page.click("#play");
    await settled(page);
    const paused = await frameOf(page);
    await page.waitForTimeout(200);
    assert.equal(await frameOf(page), paused);
    await page.keyboard.press("Home");
    assert.equal(await frameOf(page), 0);
    await page.keyboard.press("ArrowRight");
    assert.equal(await frameOf(page), 1);
    await page.keyboard.press("ArrowLeft");
    await changes(page, "last frame", () => page.keyboard.press("End"));
    assert.equal(await frameOf(page), frames - 1);
    const slider = await page.locator("#scrub").boundingBox();
    await page.mouse.click(slider.x + slider.width / 2, slider.y + slider.height / 2);
    await settled(page);
    assert.ok(Math.abs((await frameOf(page)) - frames / 2) < 2 + 0.05 * frames, "the slider goes to another frame");
    await testPlots(page, frames);
    const speed = () => page.evaluate(() => window.stiction.playback.speed);
    const before = await speed();
    await page.keyboard.press("+");
    assert.equal(await speed(), 2 * before);
    await page.keyboard.press("-");
    await page.keyboard.press("-");
    assert.equal(await speed(), before / 2);
    await page.keyboard.press(" ");
    assert.ok(await page.evaluate(() => window.stiction.playback.playing));
    await page.keyboard.press(" ");
    await page.focus("#loop");
    await page.keyboard.press(" ");
    assert.ok(!(await page.evaluate(() => window.stiction.playback.playing)), "space is for the button that has the focus");
    await page.keyboard.press(" ");
    await page.evaluate(() => document.activeElement.blur());
}

async function testPlots(page, frames) {
    const plot = page.locator(".plot canvas:last-child").first();
    if ((await plot.count()) === 0) return;
    const box = await plot.boundingBox();
    await page.mouse.click(box.x + box.width - 9, box.y + 40);
    await settled(page);
    assert.ok((await frameOf(page)) > 0.9 * frames - 2, "a click in a plot goes to its time");
    await page.mouse.move(box.x + box.width - 9, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 60, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    assert.ok((await frameOf(page)) < 0.3 * frames + 2, "a drag in a plot follows");
    const plots = await page.locator(".plot").count();
    await page.click("#add-plot");
    assert.equal(await page.locator(".plot").count(), plots + 1);
    await page.locator(".plot .head button:last-child").last().click();
    assert.equal(await page.locator(".plot").count(), plots);
}

async function testCamera(page) {
    const box = await page.locator("#canvas").boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    let pose = await poseOf(page);
    const moved = async (what) => {
        await settled(page);
        assert.notEqual(await poseOf(page), pose, `${what} does not move the camera`);
        pose = await poseOf(page);
    };
    await changes(page, "orbit", async () => {
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(x + 120, y + 30, { steps: 5 });
        await page.mouse.up();
    });
    await moved("a drag");
    await changes(page, "zoom", () => page.mouse.wheel(0, -400));
    await moved("the wheel");
    await page.keyboard.press("2");
    await moved("a key");
    await page.click("#fit");
    await settled(page);
}

async function testColours(page) {
    const colours = await page.locator("#colour option").evaluateAll((options) => options.map((option) => option.value));
    const labels = new Set();
    for (const value of colours.slice(1)) {
        await page.selectOption("#colour", value);
        await picture(page, `colour-${value}`);
        labels.add(await page.locator("#legend .name").textContent());
    }
    assert.equal(labels.size, colours.length - 1, "each field has its own label");
    if (colours.length > 1) await changes(page, "colour by body", () => page.selectOption("#colour", "body"));
    assert.ok(await page.locator("#legend").isHidden());
    await page.keyboard.press("c");
    await settled(page);
    await page.selectOption("#colour", "body");
}

async function testPicking(page) {
    const names = await page.evaluate(() => window.stiction.film.header.things.map((thing) => thing.name));
    const card = await pickSomething(page);
    assert.ok(names.some((name) => card.includes(name)), `the card names a body: ${card}`);
    assert.match(card, /Position/);
    await picture(page, "picked");
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#card").isHidden());
}

async function testToggles(page) {
    const contacts = await page.evaluate(async () => {
        const { film } = window.stiction;
        for (let frame = 0; frame < film.count; frame++) {
            if ((await film.contacts(frame)).count > 0) return frame;
        }
        return -1;
    });
    if (contacts >= 0) {
        await page.evaluate((frame) => window.stiction.seek(frame), contacts);
        await page.keyboard.press("3");
        await page.keyboard.press("2");
        await changes(page, "arrows", () => page.selectOption("#forces", "total"));
        await changes(page, "contact points", () => page.check("#dots"));
        await testContactPicking(page);
    }
    await changes(page, "section plane", () => page.check("#section"));
    await page.keyboard.press("x");
    await changes(page, "hidden body", () => page.locator(".body input[type=checkbox]").first().uncheck());
    await page.locator(".body input[type=checkbox]").first().check();
    await changes(page, "dark mode", () => page.keyboard.press("d"));
    await page.keyboard.press("d");
    await page.keyboard.press("?");
    assert.ok(await page.locator("#help").isVisible());
    if (shots) await page.screenshot({ path: join(shots, "help.png") });
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#help").isHidden());
}

async function testContactPicking(page) {
    const place = await page.evaluate(async () => {
        const { film, frame, view } = window.stiction;
        const { points } = await film.contacts(frame);
        return view.pixel(view.controls.target.clone().set(points[0], points[1], points[2]));
    });
    const box = await page.locator("#canvas").boundingBox();
    await page.mouse.click(box.x + place[0], box.y + place[1]);
    await page.waitForTimeout(100);
    assert.match(await page.locator("#card").textContent(), /contact · .*Normal force/);
    await picture(page, "picked-contact");
    await page.keyboard.press("Escape");
}

/** Fingers: one turns, two zoom, a tap picks. */
async function testTouch(path) {
    const page = await open(path, { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
    const session = await page.context().newCDPSession(page);
    const send = (type, points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    const swipe = async (from, to) => {
        await send("touchStart", from);
        for (const share of [0.25, 0.5, 0.75, 1]) await send("touchMove", from.map(([x, y], i) => [x + share * (to[i][0] - x), y + share * (to[i][1] - y)]));
        await send("touchEnd", []);
        await settled(page);
    };
    let pose = await poseOf(page);
    await swipe([[150, 200]], [[250, 230]]);
    assert.notEqual(await poseOf(page), pose, "one finger turns");
    pose = await poseOf(page);
    await swipe([[150, 200], [200, 250]], [[100, 150], [280, 320]]);
    assert.notEqual(await poseOf(page), pose, "two fingers zoom");
    await page.tap("#panel-toggle");
    await picture(page, "phone-settings");
    await page.tap("#panel-toggle");
    await picture(page, "phone");
    await close(page, "touch, on a phone");
}

async function testPlane(path) {
    const page = await open(path);
    assert.ok(await page.evaluate(() => window.stiction.view.camera.isOrthographicCamera));
    await picture(page, "plane");
    const box = await page.locator("#canvas").boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await changes(page, "plane moved", async () => {
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(x + 80, y + 40, { steps: 4 });
        await page.mouse.up();
    });
    const pose = (await poseOf(page)).split(",").map(Number);
    assert.ok(Math.abs(pose[0] - pose[3]) + Math.abs(pose[1] - pose[4]) < 1e-6 * Math.abs(pose[2]), "a drag moves, and does not turn");
    await changes(page, "plane zoomed", () => page.mouse.wheel(0, -300));
    await page.keyboard.press("f");
    await pickSomething(page);
    await close(page, "2D: moves, zooms, picks");
}

async function testNames(path) {
    const page = await open(path);
    assert.match(await page.locator("#title").textContent(), /<script>/);
    assert.match(await page.locator(".body .who").first().textContent(), /<script>/);
    await pickSomething(page);
    await close(page, "names that look like scripts");
}

/** One frame of rods: no triangles, fields, contacts or curves. */
async function testRods(path) {
    const page = await open(path);
    await picture(page, "rods");
    assert.match(await pickSomething(page), /first|second/);
    await page.click("#play");
    await page.keyboard.press("c");
    await page.keyboard.press("a");
    await page.keyboard.press("k");
    await page.keyboard.press("x");
    await settled(page);
    assert.equal(await frameOf(page), 0);
    await close(page, "one frame of nothing but rods");
}

/** In the frame of a notebook, which may forbid what is not needed. */
async function testNotebook(path) {
    const outer = join(folder, "notebook.html");
    const attribute = readFileSync(path, "utf8").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    writeFileSync(outer, `<!doctype html><html data-state="outer"><iframe sandbox="allow-scripts" width="900" height="600" srcdoc="${attribute}"></iframe>`);
    const page = await open(outer);
    const inner = page.frames()[1];
    await inner.waitForFunction(() => document.documentElement.dataset.state === "ready", null, { timeout: 30000 });
    await inner.click("#forward");
    assert.equal(await inner.evaluate(() => window.stiction.frame), 1);
    await close(page, "in the frame of a notebook");
}

async function testDamage(path) {
    const text = readFileSync(path, "utf8");
    const damaged = join(folder, "damaged.html");
    const cases = [
        [/(id="data-positions-0">.{40})/, "$1AAAAAAAA", /positions-0.*damaged/],
        [/id="data-mesh"/, 'id="data-nothing"', /mesh.*missing/],
        [/(id="data-header">)/, "$1}", /description.*damaged/],
        [/"format":\d+/, '"format":99', /format 99/],
    ];
    for (const [pattern, replacement, expected] of cases) {
        writeFileSync(damaged, text.replace(pattern, replacement));
        const page = await open(damaged);
        assert.match(await page.locator("#message").textContent(), expected);
        if (shots) await page.screenshot({ path: join(shots, "damaged.png") });
        problems.length = 0;
        await page.context().close();
    }
    console.log("ok: damaged films say so");
}

async function testWithoutWebGl(path) {
    const without = join(folder, "without.html");
    const forbid = "<head><script>HTMLCanvasElement.prototype.getContext=(g=>function(k,...a){return /webgl/.test(k)?null:g.call(this,k,...a)})(HTMLCanvasElement.prototype.getContext)</script>";
    writeFileSync(without, readFileSync(path, "utf8").replace("<head>", forbid));
    const page = await open(without);
    assert.match(await page.locator("#message").textContent(), /WebGL/);
    await page.click("#forward");
    assert.equal(await frameOf(page), 1);
    await page.keyboard.press("ArrowRight");
    assert.equal(await frameOf(page), 2, "keys work");
    await page.keyboard.press("End");
    assert.ok((await frameOf(page)) > 2);
    await page.keyboard.press("Home");
    assert.equal(await frameOf(page), 0);
    await page.keyboard.press(" ");
    await page.waitForFunction(() => Number(document.getElementById("state").dataset.frame) > 2, null, { timeout: 20000 });
    problems.length = 0;
    await close(page, "without WebGL: buttons, keys and clock");
}
