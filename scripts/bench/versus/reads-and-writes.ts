/** Rows of single requests under load. */
import { randomInt } from 'node:crypto';
import { applyLoad, requestText } from '../api-load.js';
import { underLoad } from './load.js';
import { connections, pathOf, repository } from './work.js';
import type { Side } from './side.js';
import type { Scale, Work } from './work.js';

const kibibyte = Buffer.alloc(1024, 'x');
const objects = `/api/v1${repository}/refs/main/objects`;

export function readsAndWrites(scale: Scale): readonly Work[] {
  const any = (): string => pathOf(randomInt(scale.objects));
  let made = 0;
  const row = (what: string, request: () => Buffer, tail?: string): Work =>
    underLoad({ what, tail, connections, requests: () => request }, scale);
  return [
    row('stat', () => requestText('GET', `${objects}/stat?path=${any()}`), 'p99 of stat'),
    row('get 1 KiB', () => requestText('GET', `${objects}?path=${any()}`)),
    row('list 100 after a random name', () => requestText('GET', `${objects}/ls?amount=100&after=${any()}`)),
    row('list 100 by delimiter at the root', () => requestText('GET', `${objects}/ls?amount=100&delimiter=/`)),
    row('get a branch', () => requestText('GET', `/api/v1${repository}/branches/main`)),
    row('put 1 KiB', () => requestText('POST', `/api/v1${repository}/branches/puts/objects?path=put/${made++}`, kibibyte), 'p99 of put'),
    row('create a branch', () => {
      const body = Buffer.from(JSON.stringify({ name: `branch-${made++}`, source: 'main' }));
      return requestText('POST', `/api/v1${repository}/branches`, body, 'application/json');
    }),
  ];
}

/** Puts objects of 1 KiB, as fast as the connections carry. @param content what they repeat. */
export async function upload(side: Side, branch: string, paths: readonly string[], content = 'x'): Promise<void> {
  const body = Buffer.alloc(1024, content);
  let next = 0;
  const request = (): Buffer | undefined => {
    const path = paths[next++];
    return path === undefined ? undefined : requestText('POST', `/api/v1${repository}/branches/${branch}/objects?path=${path}`, body);
  };
  await applyLoad({ port: side.port, request, connections, duration: Number.POSITIVE_INFINITY });
}
