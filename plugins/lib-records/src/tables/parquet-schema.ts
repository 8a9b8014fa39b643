/**
 * The schema of a Parquet file, as the reader gets it: without meanings of values, which it would convert, and with names that are
 * unique. Columns of the same name, and names with dots, are legal, and the reader would mix them up.
 */
import type { SchemaElement } from 'hyparquet';
import type { ParquetType } from './parquet-values.js';

export interface ParquetColumn {
  readonly type: ParquetType;
  /** A root with this column only, for the reader. */
  readonly schema: readonly SchemaElement[];
  /** Where its values are stored. */
  readonly leaves: readonly { readonly place: number; readonly path: readonly string[] }[];
}

/** Deeper ones are made to break readers. */
const mostDepth = 200;

export class ParquetSchema {
  readonly columns: readonly ParquetColumn[];
  readonly #elements: readonly SchemaElement[];
  #at = 1;
  #leaf = 0;

  /** @param elements depth first, as files have them. */
  constructor(elements: readonly SchemaElement[]) {
    this.#elements = elements;
    const [root] = elements;
    this.columns = Array.from({ length: root?.num_children ?? 0 }, () => this.#column({ ...root, name: 'root', num_children: 1 }));
  }

  #column(root: SchemaElement): ParquetColumn {
    const leaves: { place: number; path: readonly string[] }[] = [];
    const schema = [root];
    const type = this.#type([], leaves, schema);
    return { type, schema, leaves };
  }

  #type(above: readonly string[], leaves: { place: number; path: readonly string[] }[], schema: SchemaElement[]): ParquetType {
    const element = this.#elements[this.#at];
    if (!element || above.length > mostDepth) throw new Error('this Parquet file is damaged: its schema does not end');
    const slot = String(this.#at++);
    const path = [...above, slot];
    schema.push(physical(element, slot));
    const count = element.num_children ?? 0;
    if (count === 0) leaves.push({ place: this.#leaf++, path });
    return { element, slot, children: Array.from({ length: count }, () => this.#type(path, leaves, schema)) };
  }
}

/** Without its meaning: the reader then returns values as stored. Lists keep theirs, it unwraps them. */
function physical(element: SchemaElement, name: string): SchemaElement {
  const { converted_type: meaning, logical_type: _, ...rest } = element;
  const isList = element.num_children !== undefined && meaning === 'LIST';
  return { ...rest, name, ...(isList ? { converted_type: meaning } : {}) };
}
