import { testBlockStore } from '@srv/lib-stores/testing';
import { openBoth } from './fixture.js';

testBlockStore('a folder of two stores, by its id', async () => {
  const { kernel, close } = await openBoth();
  return { store: kernel.services.get('block'), namespace: 'disk+local://suite', cleanup: close };
});
