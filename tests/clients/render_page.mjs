// Runs in the page: load, light, frame and draw a file with three.js.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const SKY = 0xdfe9f3;

/** The camera that looks along the given direction and sees all corners of the box, as near and as centred as that allows. */
function frame(box, { azimuth, elevation, distance, fov, width, height }) {
  const center = box.getCenter(new THREE.Vector3());
  const [a, e] = [azimuth, elevation].map(THREE.MathUtils.degToRad);
  const camera = new THREE.PerspectiveCamera(fov, width / height);
  camera.position.set(Math.sin(a) * Math.cos(e), Math.sin(e), Math.cos(a) * Math.cos(e));
  camera.lookAt(0, 0, 0);
  camera.updateMatrixWorld();
  const axes = [0, 1, 2].map(i => new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, i));
  const tangent = 0.96 * Math.tan(THREE.MathUtils.degToRad(fov / 2));
  // Corners in view axes (x, y, z towards the camera). |x - cx| <= t (cz - z) for all of them: each side is the furthest of eight lines.
  const corners = [...Array(8).keys()].map(i => {
    const corner = new THREE.Vector3(...[0, 1, 2].map(k => (i >> k & 1 ? box.max : box.min).getComponent(k))).sub(center);
    return axes.map(axis => corner.dot(axis));
  });
  const fit = (axis, t) => {
    const [high, low] = [1, -1].map(sign => Math.max(...corners.map(c => sign * c[axis] / t + c[2])));
    return [(high - low) / 2 * t, (high + low) / 2];
  };
  const [[x, reachX], [y, reachY]] = [fit(0, tangent * camera.aspect), fit(1, tangent)];
  const reach = Math.max(reachX, reachY) * distance;
  const size = box.getSize(new THREE.Vector3()).length() || 1;
  camera.position.copy(center);
  [x, y, reach].forEach((amount, i) => camera.position.addScaledVector(axes[i], amount));
  camera.near = size / 1000;
  camera.far = reach + 2 * size;
  camera.updateProjectionMatrix();
  return { camera, center, size };
}

/** Draw the file at `url`; returns the picture as a data URL, and what was drawn. */
export async function render(url, options) {
  const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  renderer.setSize(options.width, options.height);
  renderer.shadowMap.enabled = true;
  renderer.toneMapping = THREE.AgXToneMapping;
  renderer.toneMappingExposure = 1.25;
  document.body.append(renderer.domElement);

  const { scene: root } = await new GLTFLoader().loadAsync(url);
  root.updateMatrixWorld(true);
  let instances = 0;
  root.traverse(object => {
    if (!object.isMesh) return;
    object.castShadow = object.receiveShadow = true;
    object.frustumCulled = false;
    instances += object.isInstancedMesh ? object.count : 1;
  });
  const box = new THREE.Box3().setFromObject(root);
  const { camera, center, size } = frame(box, options);

  const scene = new THREE.Scene();
  scene.background = new THREE.Color(SKY);
  scene.fog = new THREE.Fog(SKY, camera.position.distanceTo(center), camera.position.distanceTo(center) + 2.5 * size);
  scene.add(root, new THREE.HemisphereLight(0xe8f1ff, 0x8a7a66, 1.6));
  const sun = new THREE.DirectionalLight(0xfff1dc, 3.4);
  const turn = THREE.MathUtils.degToRad(options.azimuth - 70);
  sun.position.copy(center).add(new THREE.Vector3(Math.sin(turn), 1.1, Math.cos(turn)).setLength(size));
  sun.target.position.copy(center);
  sun.castShadow = true;
  sun.shadow.mapSize.set(4096, 4096);
  Object.assign(sun.shadow.camera, { left: -size / 2, right: size / 2, top: size / 2, bottom: -size / 2, near: size / 100, far: 2 * size });
  sun.shadow.normalBias = size / 2000;
  scene.add(sun, sun.target);

  renderer.render(scene, camera);
  return { png: renderer.domElement.toDataURL('image/png'),
    facts: { meshes: instances, triangles: renderer.info.render.triangles, box: [box.min.toArray(), box.max.toArray()] } };
}
