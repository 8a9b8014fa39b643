/** A block store that signs URLs, as those of the large clouds do. The URLs lead nowhere. */
import { setImmediate } from 'node:timers/promises';
import type { BlockStore, ObjectPointer, PreSigned } from '@srv/lib-stores/block';

const expiry = new Date(1_900_000_000_000);

/** How many signatures are being made, and the most at a time. */
export const signatures = { running: 0, most: 0 };

/** Takes a turn of the event loop: what is not waited for overlaps. */
async function signed(url: string): Promise<PreSigned> {
  signatures.most = Math.max(signatures.most, ++signatures.running);
  await setImmediate();
  signatures.running--;
  return { url, expiry };
}

/** Everything but signing is left to `store`. */
export function signingStore(store: BlockStore): BlockStore {
  const urlOf = (pointer: ObjectPointer, query: string): string =>
    `https://store.test/${encodeURIComponent(store.resolve(pointer))}?${query}`;
  const own: Pick<BlockStore, 'info' | 'preSign' | 'preSignPart'> = {
    info: { ...store.info, preSign: true, preSignMultipart: true },
    preSign: (pointer, mode) => signed(urlOf(pointer, mode)),
    preSignPart: (pointer, uploadId, part) => signed(urlOf(pointer, `upload=${uploadId}&part=${part}`)),
  };
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(name in own ? own : target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
