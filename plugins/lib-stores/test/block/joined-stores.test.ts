import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { SrvError } from '@srv/kernel';
import { identifierType, joinStores } from '../../src/block/index.js';
import type { BlockStore } from '../../src/block/index.js';

const at = (storageId: string) => ({ namespace: `${storageId}+mem://bucket`, identifier: 'x', identifierType: identifierType.relative });

it('a copy from one store to another that fails before it reads closes what it opened', async () => {
  const opened: Readable[] = [];
  const from = {
    type: 'mem',
    properties: async () => ({ size: 3, etag: 'e', lastModified: new Date() }),
    async get() {
      opened.push(new Readable({ read() {} }));
      return opened.at(-1);
    },
  };
  const refuse = async (): Promise<never> => {
    throw new SrvError('forbidden', 'not here');
  };
  const to = { type: 'mem', put: refuse, uploadPart: refuse };
  const joined = joinStores([
    { id: 'a', isDefault: true, description: '', store: from as unknown as BlockStore },
    { id: 'b', isDefault: false, description: '', store: to as unknown as BlockStore },
  ]);
  await assert.rejects(joined.copy(at('a'), at('b')), { code: 'forbidden' });
  await assert.rejects(joined.copyPart(at('a'), at('b'), 'upload', 1), { code: 'forbidden' });
  assert.deepEqual(
    opened.map(({ destroyed }) => destroyed),
    [true, true],
  );
});
