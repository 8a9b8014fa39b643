/** What is remembered of action files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ActionSource } from '../src/server/action-source.js';

test('beyond remembered: files of a ref not used for long are read again', async () => {
  let looks = 0;
  const view = async () => {
    looks++;
    return { seek: async () => {}, current: undefined, close: () => {} };
  };
  const engine = {
    getRepository: async (id: string) => ({ id, storageNamespace: `mem://${id}` }),
    committedPart: async (_: unknown, ref: string) => ({ metarangeId: ref }),
    view,
  };
  const source = new ActionSource({ engine } as unknown as ConstructorParameters<typeof ActionSource>[0]);
  for (let i = 0; i < 500; i++) await source.load('repo', `r${i}`);
  await source.load('repo', 'r0');
  assert.equal(looks, 500);
  await source.load('repo', 'r500');
  await source.load('repo', 'r0');
  assert.equal(looks, 501, 'used recently');
  await source.load('repo', 'r1');
  assert.equal(looks, 502);
});
