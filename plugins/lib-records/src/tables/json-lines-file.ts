/** Lines of JSON as a table: members of the objects are columns. */
import { parseJsonTree } from './json-tree.js';
import { LineEnds } from './record-blocks.js';
import { RecordFile } from './record-file.js';
import { TextRecords } from './text-records.js';
import type { ByteSource } from './byte-source.js';
import type { JsonNode } from './json-tree.js';
import type { Cell, TableFile } from './table-file.js';

/** Members of later names stand together in one column. */
const mostColumns = 2000;
const others = '(other values)';

export async function openJsonLines(source: ByteSource): Promise<TableFile> {
  const opened = new RecordFile(source, new TextRecords(new JsonLinesFormat()), []);
  await opened.cells(0, 1, []);
  return opened;
}

class JsonLinesFormat {
  readonly start = 0;
  readonly names: string[] = [];
  readonly #places = new Map<string, number>();

  ends(): LineEnds {
    return new LineEnds();
  }

  rows(text: string): readonly (readonly Cell[])[] {
    return text
      .replace(/^\ufeff/, '')
      .split('\n')
      .filter(line => line.trim() !== '')
      .map(line => this.#row(line));
  }

  #row(line: string): readonly Cell[] {
    try {
      return this.#cellsOf(parseJsonTree(line));
    } catch {
      // Not JSON, or nested too deeply to be put together: shown as it is, beside the others.
      const cells: Cell[] = [];
      cells[this.#place(others)] = line;
      return cells;
    }
  }

  #cellsOf(node: JsonNode): readonly Cell[] {
    const cells: Cell[] = [];
    if (node.kind !== 'object') {
      cells[this.#place(others)] = written(node);
      return cells;
    }
    const rest: string[] = [];
    for (const { name, value } of node.members) {
      const place = this.#places.size < mostColumns || this.#places.has(name) ? this.#place(name) : undefined;
      // Of members with the same name the first is in the column.
      if (place === undefined || cells[place] !== undefined) rest.push(`${JSON.stringify(name)}:${written(value)}`);
      else cells[place] = cellOf(value);
    }
    if (rest.length > 0) cells[this.#place(others)] = `{${rest.join(',')}}`;
    return cells;
  }

  #place(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    this.#places.set(name, this.names.length);
    return this.names.push(name) - 1;
  }
}

/** A text without its quotes, unless it would then look like another value. */
function cellOf(node: JsonNode): Cell {
  const source = written(node);
  if (source === 'null') return null;
  if (node.kind !== 'text') return source;
  const text = JSON.parse(source) as string;
  return isValue(text) ? source : text;
}

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function isValue(text: string): boolean {
  return /^[[{"]/.test(text) || /^(?:true|false|null)$/.test(text) || jsonNumber.test(text);
}

/** As compact JSON; numbers and texts as they are written. */
function written(node: JsonNode): string {
  if (!('members' in node)) return node.source;
  if (node.kind === 'array') return `[${node.members.map(({ value }) => written(value)).join(',')}]`;
  return `{${node.members.map(({ name, value }) => `${JSON.stringify(name)}:${written(value)}`).join(',')}}`;
}
