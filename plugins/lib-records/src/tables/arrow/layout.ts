/** Which buffers of a batch belong to which column: they stand in the order of the schema, each column before those below it. */
import { ArrowError } from './error.js';
import type { BufferPlace } from './body.js';
import type { BatchLayout } from './messages.js';
import type { ArrowField, ArrowType } from './schema.js';

export interface ColumnLayout {
  readonly field: ArrowField;
  readonly rows: number;
  /** Which values are there; absent for types whose values are never missing. */
  readonly validity: BufferPlace | undefined;
  readonly buffers: readonly BufferPlace[];
  /** Of views: what is too long to stand in them. */
  readonly variadic: readonly BufferPlace[];
  readonly children: readonly ColumnLayout[];
}

/** Buffers in addition to the one that says which values are there. */
const bufferCounts: Readonly<Partial<Record<ArrowType['kind'], number>>> = {
  null: 0,
  'run-end': 0,
  struct: 0,
  'fixed-list': 0,
  binary: 2,
  'large-binary': 2,
  'list-view': 2,
  'large-list-view': 2,
};

export function layoutOf(fields: readonly ArrowField[], batch: BatchLayout): readonly ColumnLayout[] {
  let [node, buffer, view] = [0, 0, 0];
  const next = (): BufferPlace => {
    const found = batch.buffers[buffer++];
    if (!found) throw new ArrowError('a batch of it has too few buffers');
    return found;
  };
  const columnOf = (field: ArrowField): ColumnLayout => {
    const type = field.dictionary?.index ?? field.type;
    const rows = batch.nodes[node++];
    if (rows === undefined) throw new ArrowError('a batch of it has too few columns');
    const validity = hasValidity(type, batch.isOld) ? next() : undefined;
    const buffers = Array.from({ length: bufferCount(type) }, next);
    const variadic = type.kind === 'binary-view' ? Array.from({ length: countOf(batch, view++) }, next) : [];
    const children = field.dictionary ? [] : field.children.map(columnOf);
    return { field, rows, validity: type.kind === 'union' ? undefined : validity, buffers, variadic, children };
  };
  return fields.map(columnOf);
}

/** Unions had it in the oldest versions. */
function hasValidity({ kind }: ArrowType, isOld: boolean): boolean {
  return kind === 'union' ? isOld : kind !== 'null' && kind !== 'run-end';
}

function bufferCount(type: ArrowType): number {
  return type.kind === 'union' ? 1 + Number(type.isDense) : (bufferCounts[type.kind] ?? 1);
}

function countOf({ variadic, buffers }: BatchLayout, view: number): number {
  const count = variadic[view] ?? 0;
  if (count > buffers.length) throw new ArrowError('a batch of it has too few buffers');
  return count;
}
