// Checks a glTF file with the Khronos validator and loads it in three.js:
//
//     node check.mjs FILE.glb [FILE.json]
//
// The second file is that of `cargo run -p stiction-view --example sample-film -- FOLDER`: what three.js shows is compared with it.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import validator from 'gltf-validator';

// The three.js of the player, so that there is one version to update.
const three = (path) => import(new URL(`../../../../viewer/node_modules/three/${path}`, import.meta.url));
const { AnimationMixer, Box3, LoopOnce, Mesh, Vector3 } = await three('build/three.module.js');
const { GLTFLoader } = await three('examples/jsm/loaders/GLTFLoader.js');

// Metres, for things of some metres: single precision in the file, and in three.js.
const PRECISION = 2e-6;

function expect(condition, what) {
  if (!condition) throw new Error(what);
}

async function validate(bytes) {
  const { issues, info, mimeType } = await validator.validateBytes(bytes, { maxIssues: 20 });
  console.log(`validator ${validator.version()}: ${mimeType}, ${info.totalVertexCount} vertices,`
    + ` ${issues.numErrors} errors, ${issues.numWarnings} warnings, ${issues.numInfos} infos, ${issues.numHints} hints`);
  for (const { code, message, pointer } of issues.messages) console.log(`  ${code} ${pointer}: ${message}`);
  expect(issues.numErrors + issues.numWarnings === 0, 'the file is not valid');
}

async function load(bytes) {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return new GLTFLoader().parseAsync(buffer, '');
}

// The node of each thing, by the name in the film: three.js changes names that its animations cannot address.
function nodes(scene) {
  return new Map(scene.children[0].children.map((node) => [node.userData.name ?? node.name, node]));
}

// Where three.js draws the vertices of a node.
function drawn(node) {
  const mesh = node.isMesh || node.isLine ? node : node.children[0];
  const count = mesh.geometry.attributes.position.count;
  // Lines have morph targets as well, but not this function.
  const position = (i) => Mesh.prototype.getVertexPosition.call(mesh, i, new Vector3());
  return Array.from({ length: count }, (_, i) => position(i).applyMatrix4(mesh.matrixWorld));
}

function difference({ scene }, said, frame) {
  scene.updateMatrixWorld(true);
  const found = nodes(scene);
  let worst = 0;
  for (const { name, vertices: [start, end] } of said.things) {
    const shown = Array.from({ length: end - start }, (_, i) => start + i).filter((i) => !said.hidden.includes(i));
    const points = drawn(found.get(name));
    expect(points.length === shown.length, `${name}: ${points.length} vertices instead of ${shown.length}`);
    shown.forEach((vertex, i) => {
      const [x, y, z] = frame.points[vertex];
      worst = Math.max(worst, points[i].distanceTo(new Vector3(x, z, -y)));
    });
  }
  return worst;
}

function compare(gltf, said) {
  const names = [...nodes(gltf.scene).keys()];
  expect(names.join() === said.things.map(({ name }) => name).join(), `the nodes are ${names}`);
  const [clip] = gltf.animations;
  const last = said.frames.at(-1).time;
  expect(gltf.animations.length === 1 && Math.abs(clip.duration - last) < 1e-6, `the animation lasts ${clip.duration} s`);
  const tracks = clip.tracks.map(({ name }) => name.split('.').at(-1));
  const count = (kind) => tracks.filter((track) => track === kind).length;
  expect(count('morphTargetInfluences') === said.deforming, `tracks: ${tracks}`);
  expect(count('quaternion') === said.rigid && count('position') === said.rigid, `tracks: ${tracks}`);
  const mixer = new AnimationMixer(gltf.scene);
  const action = mixer.clipAction(clip);
  action.clampWhenFinished = true;
  action.setLoop(LoopOnce);
  action.play();
  const off = said.frames.map((frame) => {
    mixer.setTime(Math.min(frame.time, clip.duration));
    return difference(gltf, said, frame);
  });
  console.log(`three.js: ${names.length} nodes, ${tracks.length} tracks, ${clip.duration.toFixed(3)} s;`
    + ` vertices are within ${Math.max(...off).toExponential(1)} m in ${off.length} frames`);
  expect(Math.max(...off) < PRECISION, 'vertices are not where the film has them');
}

const [file, saying] = process.argv.slice(2);
const bytes = new Uint8Array(readFileSync(file));
await validate(bytes);
const gltf = await load(bytes);
const size = new Box3().setFromObject(gltf.scene).getSize(new Vector3());
console.log(`three.js: size ${size.toArray().map((value) => value.toFixed(3)).join(' × ')} m, ${gltf.animations.length} animations`);
if (saying) compare(gltf, JSON.parse(readFileSync(saying)));
