/** One entry of a range at a time, read from the columns that were loaded. */
import { SrvError } from '@srv/kernel';
import type { Attribution } from '../format/attribution.js';
import type { NumberColumn, TextColumn, Texts } from '../format/columns.js';
import type { FieldName, Row } from '../where/fields.js';

/** Columns that were loaded. */
export interface LoadedColumns {
  readonly texts: Partial<Record<TextColumn, Texts>>;
  readonly numbers: Partial<Record<NumberColumn, Float64Array>>;
  readonly attribution?: Attribution | undefined;
  /** By index of a commit in the attribution. */
  readonly committers?: readonly string[] | undefined;
}

const columnOf = { path: 'path', etag: 'etag', content_type: 'type' } as const;

export class RangeRow implements Row {
  at = 0;
  #columns: LoadedColumns;
  /** Conditions about several keys, or several values of one, ask for the same row each time. */
  #parsed: { readonly at: number; readonly metadata: Readonly<Record<string, string>> } | undefined;

  constructor(columns: LoadedColumns) {
    this.#columns = columns;
  }

  /** Makes more columns known. */
  use(columns: LoadedColumns): void {
    this.#columns = columns;
    this.#parsed = undefined;
  }

  number(field: NumberColumn): number {
    return loaded(this.#columns.numbers[field], field)[this.at] ?? 0;
  }

  text(field: Exclude<FieldName, 'size' | 'modified'>): string | undefined {
    if (field === 'commit_id' || field === 'committer') {
      const { commits, indexes } = loaded(this.#columns.attribution, field);
      return (field === 'commit_id' ? commits : loaded(this.#columns.committers, field))[indexes[this.at] ?? 0];
    }
    const found = loaded(this.#columns.texts[columnOf[field]], field).text(this.at);
    // An object without a type has none; every other text is there.
    return field === 'content_type' && found === '' ? undefined : found;
  }

  metadata(key: string): string | undefined {
    if (this.#parsed?.at !== this.at) this.#parsed = { at: this.at, metadata: this.allMetadata() };
    const all = this.#parsed.metadata;
    return Object.hasOwn(all, key) ? all[key] : undefined;
  }

  /** @throws SrvError `corrupt`. */
  allMetadata(): Readonly<Record<string, string>> {
    const text = loaded(this.#columns.texts.metadata, 'metadata').text(this.at);
    if (text === '') return {};
    try {
      return JSON.parse(text) as Readonly<Record<string, string>>;
    } catch (error) {
      throw new SrvError('corrupt', 'user metadata in the index is not JSON; `cli search rebuild` makes it again', { cause: error });
    }
  }
}

function loaded<T>(part: T | undefined, name: string): T {
  if (part === undefined) throw new SrvError('internal', `column ${name} was not loaded`);
  return part;
}
