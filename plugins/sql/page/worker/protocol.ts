/** What the page and the engine's worker say to each other. Every request has one answer. */

interface Column {
  readonly name: string;
  readonly type: string;
}

export interface Result {
  readonly columns: readonly Column[];
  /** The first of them. */
  readonly rows: readonly (readonly (string | number | null)[])[];
  readonly total: number;
  /** All of it can be exported. */
  readonly isKept: boolean;
}

export interface Requests {
  /** `wasm`: address of the engine, in memory. */
  readonly start: { readonly input: { readonly wasm: string }; readonly output: undefined };
  readonly addFile: { readonly input: { readonly name: string; readonly content: Blob }; readonly output: undefined };
  readonly dropFile: { readonly input: { readonly name: string }; readonly output: undefined };
  /** `writes`: files that the statement writes, which are taken out of the engine. */
  readonly run: {
    readonly input: { readonly sql: string; readonly isQuery: boolean; readonly writes: readonly string[] };
    readonly output: { readonly result: Result; readonly written: readonly Blob[] };
  };
  readonly exportResult: { readonly input: { readonly format: 'csv' | 'parquet' }; readonly output: Blob };
}

export type RequestName = keyof Requests;

export type ToWorker = {
  readonly [name in RequestName]: { readonly id: number; readonly name: name; readonly input: Requests[name]['input'] };
}[RequestName];

export type FromWorker =
  | { readonly id: number; readonly output: Requests[RequestName]['output'] }
  | { readonly id: number; readonly error: string };
