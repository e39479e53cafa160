// usage: node three_matrices.mjs OUT.json FILE... : where three.js places every mesh of each file.
// OUT.json: for each file an array of {primitive, instanced, flipped, matrices}, one for each mesh object (a glTF primitive); `flipped` says
// that it is drawn with the other winding; the matrices are matrixWorld * instanceMatrix, 16 numbers each, column after column.
import { writeFile } from 'node:fs/promises';
import { withPage } from './browser.mjs';

const [out, ...files] = process.argv.slice(2);
const found = await withPage(async (page, urlOf) => {
  const results = [];
  for (const file of files) {
    results.push(await page.evaluate(async url => {
      const THREE = await import('three');
      const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
      const { scene } = await new GLTFLoader().loadAsync(url);
      scene.updateMatrixWorld(true);
      const meshes = [];
      scene.traverse(object => {
        if (!object.isMesh) return;
        const matrices = [];
        const local = new THREE.Matrix4();
        for (let i = 0; i < (object.isInstancedMesh ? object.count : 1); i++) {
          if (object.isInstancedMesh) object.getMatrixAt(i, local);
          matrices.push(new THREE.Matrix4().multiplyMatrices(object.matrixWorld, local).elements);
        }
        meshes.push({ primitive: object.userData.primitive_id ?? object.parent.userData.primitive_id,
          instanced: Boolean(object.isInstancedMesh),
          flipped: object.matrixWorld.determinant() < 0, matrices });
      });
      return meshes;
    }, urlOf(file)));
  }
  return results;
});
await writeFile(out, JSON.stringify(found));
