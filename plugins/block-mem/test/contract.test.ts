import { testBlockStore } from '@srv/lib-stores/testing';
import { openMemoryStore } from '../src/server/store.js';

testBlockStore('block-mem on memory', async () => ({ store: openMemoryStore(), namespace: 'mem://suite', cleanup: async () => {} }));
