/** Rows of a result: lines of JSON. */
import { text } from 'node:stream/consumers';
import { parseJsonTree } from '@srv/lib-records/tables/json-tree';
import type { Readable } from 'node:stream';
import type { JsonNode } from '@srv/lib-records/tables/json-tree';

/** Values by the names of their columns, for programs: numbers that JavaScript would change are texts. */
export type Row = Readonly<Record<string, unknown>>;

/** As written in the result. */
interface Cell {
  readonly name: string;
  readonly value: JsonNode;
}

/** Objects neither keep the order of columns whose names are numbers nor the digits of their values. */
const cellsOfRows = new WeakMap<Row, readonly Cell[]>();

export async function rowsOf(body: Readable): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const line of (await text(body)).split('\n')) {
    if (line === '') continue;
    const node = parseJsonTree(line);
    const row = plainValue(node) as Row;
    cellsOfRows.set(row, 'members' in node ? node.members : []);
    rows.push(row);
  }
  return rows;
}

/** @param row of {@link rowsOf}. @returns its cells in the order of the query. */
export function cellsOf(row: Row | undefined): readonly Cell[] {
  return (row && cellsOfRows.get(row)) ?? [];
}

/** A text as it is, anything else as JSON. */
export function textOf(node: JsonNode): string {
  switch (node.kind) {
    case 'array':
      return `[${node.members.map(({ value }) => sourceOf(value)).join(',')}]`;
    case 'object':
      return `{${node.members.map(({ name, value }) => `${JSON.stringify(name)}:${sourceOf(value)}`).join(',')}}`;
    case 'text':
      return JSON.parse(node.source) as string;
    default:
      return node.source;
  }
}

function sourceOf(node: JsonNode): string {
  return node.kind === 'text' ? node.source : textOf(node);
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
