import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { operationList, operations } from '../src/operations/index.js';
import { describeApi } from '../src/server/openapi.js';

type Shape = string | { list: Shape } | { map: Shape } | { fields: Record<string, Shape>; required: string[] };
interface Surface {
  readonly method: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, boolean>>;
  readonly status: number;
  readonly body?: Shape;
  readonly result?: Shape;
}
interface Schema {
  readonly type?: string;
  readonly properties?: Record<string, Schema>;
  readonly required?: string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Record<string, Schema>;
}
interface Described {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>>;
}

const surface = JSON.parse(readFileSync(new URL('../../test/fixtures/surface.json', import.meta.url), 'utf8')) as Record<string, Surface>;
const document = describeApi(operationList, '1') as { paths: Record<string, Record<string, Described>> };

/** Where the server is known to differ from the document it is written after. */
const differentStatus: Readonly<Record<string, number>> = { updateObjectUserMetadata: 204, updatePullRequest: 204 };

function shapeOf(schema: Schema): Shape {
  if (schema.properties) {
    const fields = Object.fromEntries(
      Object.entries(schema.properties)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, field]) => [name, shapeOf(field)]),
    );
    return { fields, required: [...(schema.required ?? [])].sort() };
  }
  if (schema.type === 'array') return { list: shapeOf(schema.items ?? {}) };
  const [value] = Object.values(schema.patternProperties ?? {});
  const map = value ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
  if (schema.type === 'object' && map) return { map: shapeOf(map) };
  return schema.type ?? 'any';
}

describe('the table', () => {
  it('names every operation by its key, once per method and path', () => {
    for (const [key, { operationId }] of Object.entries(operations)) assert.equal(operationId, key);
    const places = operationList.map(op => `${op.method} ${op.path}`);
    assert.equal(new Set(places).size, places.length);
  });

  it('declares a parameter for every placeholder of a path', () => {
    for (const { operationId, path, params = {} } of operationList) {
      assert.deepEqual(Object.keys(params).sort(), [...path.matchAll(/\{(\w+)\}/g)].map(m => m[1]).sort(), operationId);
    }
  });

  for (const { operationId, method, path, status } of operationList) {
    it(`${operationId} has the paths, parameters and fields clients know`, () => {
      const known = surface[operationId];
      assert.ok(known, 'unknown operation');
      assert.deepEqual({ method, path }, { method: known.method, path: known.path });
      assert.equal(status, differentStatus[operationId] ?? known.status);
      const described = document.paths[path]?.[method.toLowerCase()];
      assert.ok(described);
      const parameters = new Map(described.parameters.map(p => [`${p.in}:${p.name}`.toLowerCase(), p.required]));
      for (const [name, required] of Object.entries(known.parameters)) assert.equal(parameters.get(name.toLowerCase()), required, name);
      const body = described.requestBody?.content['application/json'];
      if (known.body !== undefined && operationId !== 'setupCommPrefs') assert.deepEqual(body && shapeOf(body.schema), known.body);
      const result = described.responses[String(status)]?.content?.['application/json'];
      assert.deepEqual(result && shapeOf(result.schema), known.result);
    });
  }
});
