import assert from 'node:assert/strict';
import { it } from 'node:test';
import { wireUser } from '@srv/lib-auth/authorization';
import { readPage } from '../src/server/read-page.js';
import type { WireUser } from '@srv/lib-auth/authorization';
import type { ServiceClient } from '../src/server/service-client.js';

const names = ['ann', 'bob', 'cleo', 'dora', 'emma'];

/** A service that sends pages of its own size. @param offsets whether it says where the next page begins. */
function serviceOf({ size, offsets }: { readonly size: number; readonly offsets: boolean }): ServiceClient {
  const read = async (_: unknown, { query }: { readonly query: { readonly after?: string } }) => {
    const rest = names.filter(name => name > (query.after ?? ''));
    const results = rest.slice(0, size).map(username => ({ username }));
    const hasMore = rest.length > size;
    return { results, pagination: { has_more: hasMore, next_offset: hasMore && offsets ? (rest[size - 1] ?? '') : '' } };
  };
  return { read } as unknown as ServiceClient;
}

async function allOf(service: ServiceClient, amount: number): Promise<string[]> {
  const users = { path: ['users'], item: wireUser, decode: ({ username }: WireUser) => username, nameOf: (name: string) => name };
  const found: string[] = [];
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await readPage(service, users, { after, amount });
    found.push(...results);
    assert.ok(found.length <= names.length, `${found.join(' ')} …`);
    assert.equal(hasMore, nextOffset !== '');
    if (!hasMore) return found;
    after = nextOffset;
  }
}

it('pages hold everything once, whatever amount the service sends', async () => {
  for (const size of [1, 2, 3, 5, 100])
    for (const offsets of [true, false])
      for (const amount of [1, 2, 4, 100]) assert.deepEqual(await allOf(serviceOf({ size, offsets }), amount), names);
});
