/** Opens the block store in memory when `blockstore.type` is `mem`. */
import { definePlugin } from '@srv/kernel';
import { openMemoryStore } from './store.js';

export { openMemoryStore } from './store.js';

export default definePlugin({
  name: 'block-mem',
  apply(kernel) {
    kernel.hooks.openBlockStore.for('mem').tapPromise('block-mem', () => Promise.resolve(openMemoryStore()));
  },
});
