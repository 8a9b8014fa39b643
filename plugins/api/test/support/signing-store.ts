/** A block store that signs URLs, as those of the large clouds do. Nobody serves the URLs. */
import type { BlockStore, ObjectPointer } from '@srv/lib-block-store';

const expiry = new Date(1_900_000_000_000);

/** Everything but signing is left to `store`. */
export function signingStore(store: BlockStore): BlockStore {
  const urlOf = (pointer: ObjectPointer, query: string): string =>
    `https://store.test/${encodeURIComponent(store.resolve(pointer))}?${query}`;
  const own: Pick<BlockStore, 'info' | 'preSign' | 'preSignPart'> = {
    info: { ...store.info, preSign: true, preSignMultipart: true },
    preSign: async (pointer, mode) => ({ url: urlOf(pointer, mode), expiry }),
    preSignPart: async (pointer, uploadId, part) => ({ url: urlOf(pointer, `upload=${uploadId}&part=${part}`), expiry }),
  };
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(name in own ? own : target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
