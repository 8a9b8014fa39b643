import { testBlockStore } from '@srv/lib-block-store/testing';
import { openMemoryStore } from '../src/server/store.js';

testBlockStore('block-mem on memory', async () => ({ store: openMemoryStore(), namespace: 'mem://suite', cleanup: async () => {} }));
