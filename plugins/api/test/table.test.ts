import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import operations from '@srv/engine/operations';
import { compareSurfaces, describedOperations, judge, servedSurface } from '../src/surface/index.js';
import { operationList, pluginsFolder } from './support/operations.js';
import type { KnownDifference, Surface } from '../src/surface/index.js';

const fixture = (name: string): unknown => JSON.parse(readFileSync(new URL(`../../test/fixtures/${name}`, import.meta.url), 'utf8'));

describe('the table', () => {
  it('names every operation by its key, once per method and path', () => {
    for (const [key, { operationId }] of Object.entries(operations)) assert.equal(operationId, key);
    const places = operationList.map(op => `${op.method} ${op.path}`);
    assert.equal(new Set(places).size, places.length);
  });

  it('declares a parameter for every placeholder of a path', () => {
    for (const { operationId, path, params = {} } of operationList) {
      assert.deepEqual(Object.keys(params).sort(), [...path.matchAll(/\{(\w+)\}/g)].map(m => m[1] ?? '').sort(), operationId);
    }
  });

  it('differs from what clients know only where it is meant to', async () => {
    const everything = await describedOperations(pluginsFolder);
    const differences = compareSurfaces(fixture('surface.json') as Surface, await servedSurface(everything));
    const { unexplained, stale } = judge(differences, fixture('known-differences.json') as KnownDifference[]);
    assert.deepEqual({ unexplained, stale }, { unexplained: [], stale: [] });
  });
});

describe('the comparison of surfaces', () => {
  const result = { fields: { id: 'string' }, required: ['id'] };
  const known: Surface = {
    read: { method: 'GET', path: '/a/{b}', parameters: { 'path:b': true, 'query:c': false }, status: 200, result },
    write: { method: 'PUT', path: '/a', parameters: {}, status: 201, body: result },
  };
  const compare = (change: Surface) => compareSurfaces(known, { ...known, ...change }).map(({ kind, text }) => `${kind} ${text}`);
  const read = { method: 'GET', path: '/a/{b}', parameters: { 'path:b': true, 'query:c': false }, status: 200, result };
  const write = { method: 'PUT', path: '/a', parameters: {}, status: 201, body: result };

  it('finds nothing where nothing differs', () => assert.deepEqual(compare({}), []));

  it('finds places, statuses and parameters', () => {
    assert.deepEqual(
      compare({ read: { ...read, path: '/z/{b}', status: 204, parameters: { 'path:b': true, 'query:c': true, 'query:d': true } } }),
      [
        'changed read: place GET /a/{b} is GET /z/{b}',
        'changed read: status 200 is 204',
        'changed read: parameter query:c: became required',
        'changed read: parameter query:d: new and required',
      ],
    );
    assert.deepEqual(compareSurfaces(known, { read }), [{ kind: 'missing', text: 'write: no such operation' }]);
  });

  it('distinguishes fields that are sent from fields that are received', () => {
    const wider = { fields: { id: 'integer', more: { list: 'string' } }, required: ['more'] };
    assert.deepEqual(compare({ read: { ...read, result: wider }, write: { ...write, body: wider } }), [
      'changed read: result.id: is no longer required',
      'changed read: result.id: string is integer',
      'added read: result.more',
      'changed write: body.id: is no longer required',
      'changed write: body.id: string is integer',
      'changed write: body.more: new and required',
    ]);
  });

  it('sorts differences by their explanations', () => {
    const differences = [
      { kind: 'changed', text: 'x: status 1 is 2' },
      { kind: 'missing', text: 'y: no such operation' },
      { kind: 'added', text: 'z: operation' },
    ] as const;
    const { additions, explained, unexplained, stale } = judge(differences, [
      { difference: 'x: status 1 is 2', reason: 'why not' },
      { difference: 'gone', reason: 'once' },
    ]);
    assert.deepEqual(
      [additions.length, explained[0]?.reason, unexplained[0]?.text, stale[0]?.difference],
      [1, 'why not', 'y: no such operation', 'gone'],
    );
  });
});
