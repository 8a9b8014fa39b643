import { testBlockStore } from '@srv/lib-stores/testing';
import { openBoth } from './fixture.js';

for (const [name, namespace] of [
  ['a folder of two stores, by its id', 'disk+local://suite'],
  ['memory of two stores', 'ram+mem://suite'],
] as const)
  testBlockStore(name, async () => {
    const { kernel, close } = await openBoth();
    return { store: kernel.services.get('block'), namespace, cleanup: close };
  });
