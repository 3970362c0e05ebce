// Builds crates/stiction-view/src/page/bundle.html, or the file that is named, from src/: one page with everything in it but the film.
// A hash of the sources is in the page, so that a Rust test finds a bundle that is older than they are.
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const target = process.argv[2] ?? join(here, "../crates/stiction-view/src/page/bundle.html");

/** Paths of all sources, with slashes, sorted. The Rust test has the same list. */
function sources() {
    const inside = (folder) =>
        readdirSync(join(here, folder), { withFileTypes: true }).flatMap((entry) =>
            entry.isDirectory() ? inside(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
        );
    return [...inside("src"), "build.mjs", "package-lock.json", "package.json", "tsconfig.json"].sort();
}

/** FNV-1a, 64 bits, of paths and contents, a zero after each; carriage returns do not count. */
function hash() {
    let value = 0xcbf29ce484222325n;
    const add = (byte) => (value = ((value ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn);
    for (const path of sources()) {
        for (const bytes of [Buffer.from(path), readFileSync(join(here, path))]) {
            for (const byte of bytes) if (byte !== 13) add(byte);
            add(0);
        }
    }
    return value.toString(16).padStart(16, "0");
}

const options = { bundle: true, minify: true, write: false, target: "es2022", legalComments: "none", charset: "utf8" };
const text = async (entry, more) =>
    (await build({ ...options, ...more, entryPoints: [join(here, entry)] })).outputFiles[0].text.trim();
const script = await text("src/main.ts", { format: "iife" });
const style = await text("src/page.css", {});
if (/<\/script|<!--/i.test(script)) throw new Error("the script would end early in the page");
// The licence of three.js wants to be in every copy.
const licence = readFileSync(join(here, "node_modules/three/LICENSE"), "utf8").trim();
if (licence.includes("--")) throw new Error("the licence would end its comment early");
const page = readFileSync(join(here, "src/page.html"), "utf8")
    .replace("{{hash}}", () => hash())
    .replace("{{licence}}", () => `This page contains three.js.\n\n${licence}`)
    .replace("{{style}}", () => style)
    .replace("{{script}}", () => script);
writeFileSync(target, page);
console.log(`${(page.length / 1024).toFixed(0)} kB`);
