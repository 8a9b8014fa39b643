/** Bytes of objects, no more than a view needs. */
import { send } from '@srv/lib-page/page';
import { decodeText } from '@srv/lib-records/tables/text-encoding';
import type { ShownObject } from '@srv/lib-page/page';

interface Head {
  readonly bytes: Uint8Array;
  /** The object has more bytes after them. */
  readonly cut: boolean;
}

/** @param most bytes. */
export async function readHead({ repository, ref, path, size }: ShownObject, most: number, signal: AbortSignal): Promise<Head> {
  if (size === 0) return { bytes: new Uint8Array(), cut: false };
  const response = await send('getObject', { repository, ref, path, ...(size > most ? { Range: `bytes=0-${most - 1}` } : {}) }, { signal });
  return { bytes: new Uint8Array(await response.arrayBuffer()), cut: size > most };
}

/** Text that may end within a character. */
export function decoded({ bytes, cut }: Head): string {
  return decodeText(bytes, cut).text;
}
