/** Rows of a result in JSON. */
import { text } from 'node:stream/consumers';
import { parseJsonTree } from '@srv/lib-records/tables/json-tree';
import type { Readable } from 'node:stream';
import type { JsonNode } from '@srv/lib-records/tables/json-tree';

export type Row = Readonly<Record<string, unknown>>;

/** Numbers that JavaScript would change are texts. */
export async function rowsOf(body: Readable): Promise<readonly Row[]> {
  return plainValue(parseJsonTree(await text(body))) as readonly Row[];
}

function plainValue(node: JsonNode): unknown {
  switch (node.kind) {
    case 'array':
      return node.members.map(({ value }) => plainValue(value));
    case 'object':
      return Object.fromEntries(node.members.map(({ name, value }) => [name, plainValue(value)]));
    case 'number': {
      const value = Number(node.source);
      return Number.isInteger(value) && !Number.isSafeInteger(value) ? node.source : value;
    }
    default:
      return JSON.parse(node.source) as unknown;
  }
}
