import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SrvError } from '@srv/kernel';
import { checkOverlap } from '../../src/objects/namespace-check.js';
import type { Repository } from '@srv/engine/contract';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';

/** Spells a space as Azure does; knows one scheme. */
const block = {
  resolve({ namespace, identifier }: Pick<ObjectPointer, 'namespace' | 'identifier'>) {
    if (!namespace.startsWith('s3://')) throw new SrvError('invalid', 'another store');
    return `${namespace.replaceAll(' ', '%20').replace(/\/*$/, '/')}${identifier}`;
  },
} as BlockStore;

async function* taken(...namespaces: string[]): AsyncGenerator<Repository> {
  for (const storageNamespace of namespaces) yield { id: 'taken', storageNamespace, storageId: '', readOnly: false } as Repository;
}

it('namespaces overlap in whichever spelling', async () => {
  for (const [wanted, there] of [
    ['s3://b/my%20ns', 's3://b/my ns'],
    ['s3://b/my ns/below', 's3://b/my%20ns/'],
    ['s3://b', 's3://b/my ns'],
  ] as const)
    await assert.rejects(checkOverlap(block, wanted, taken('gs://b/x', there)), { code: 'invalid', message: /repository taken/ }, wanted);
  await checkOverlap(block, 's3://b/my', taken('s3://b/my ns', 'gs://b/my', 's3://b/my2'));
});
