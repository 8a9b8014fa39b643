import { testBlockStore } from '@srv/kernel/testing';
import { MemoryBlockStore } from '../src/server/store.js';

testBlockStore('block-mem on memory', async () => ({ store: new MemoryBlockStore(), namespace: 'mem://suite', cleanup: async () => {} }));
