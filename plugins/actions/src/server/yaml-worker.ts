/** Reads long action files beside the event loop. */
import { parentPort } from 'node:worker_threads';
import { readYaml } from '../files/yaml-tree.js';

parentPort?.on('message', ({ id, text }: { readonly id: number; readonly text: string }) => {
  parentPort?.postMessage({ id, tree: readYaml(text) });
});
