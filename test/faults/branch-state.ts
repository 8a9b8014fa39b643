/** Reads the whole of a branch through the API. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { Client } from '@srv/engine/client';
import type { Objects } from './ledger.js';

/** Names of the one repository and its branch. */
export const place = { repository: 'faults', branch: 'main' } as const;

/** Objects read at a time. */
const parallel = 16;

interface Page<T> {
  readonly results: readonly T[];
  readonly pagination: { readonly has_more: boolean; readonly next_offset: string };
}

/** Small pages, so that listing has to continue where it stopped. */
async function all<T>(page: (query: { readonly amount: number; readonly after: string }) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  for (let after = ''; ; ) {
    const { results, pagination } = await page({ amount: 97, after });
    found.push(...results);
    if (!pagination.has_more) return found;
    after = pagination.next_offset;
  }
}

/** Path → MD5 of every object that the ref lists. */
export async function listObjects(client: Client, ref: string): Promise<Objects> {
  const { repository } = place;
  const listed = await all(page => client.listObjects({ repository, ref, ...page }));
  return new Map(listed.map(({ path, checksum }) => [path, checksum]));
}

/** Every object of the branch with its content, which is compared with its MD5. */
export async function readObjects(client: Client): Promise<Objects> {
  const { repository, branch: ref } = place;
  const objects = new Map<string, string>();
  const rest = (await listObjects(client, ref)).entries();
  const reader = async (): Promise<void> => {
    for (const [path, checksum] of rest) {
      const content = await text((await client.getObject({ repository, ref, path })).body);
      assert.equal(md5(content), checksum, `MD5 of ${path}`);
      objects.set(path, content);
    }
  };
  await Promise.all(Array.from({ length: parallel }, reader));
  return objects;
}

export function md5(content: string): string {
  return createHash('md5').update(content).digest('hex');
}

/** Paths changed since the last commit. */
export async function uncommittedPaths(client: Client): Promise<string[]> {
  return (await all(page => client.diffBranch({ ...place, ...page }))).map(({ path }) => path).sort();
}

/** Newest first. */
export async function commitIds(client: Client): Promise<string[]> {
  return (await all(page => client.logCommits({ repository: place.repository, ref: place.branch, ...page }))).map(({ id }) => id);
}
