import { testBlockStore } from '@srv/kernel/testing';
import { MemoryBlockStore } from '../src/server/store.js';

testBlockStore('block-mem', async () => ({ store: new MemoryBlockStore(), namespace: 'mem://suite', cleanup: async () => {} }));
