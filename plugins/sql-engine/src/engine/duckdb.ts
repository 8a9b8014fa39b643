/** The part of `@duckdb/node-api` that is used. It is not installed with the workspace. */

export interface DuckDb {
  readonly DuckDBInstance: { create(path: string, options: Readonly<Record<string, string>>): Promise<DuckDbInstance> };
  readonly StatementType: { readonly SELECT: number };
}

interface DuckDbInstance {
  connect(): Promise<DuckDbConnection>;
}

export interface DuckDbConnection {
  run(sql: string): Promise<{ readonly rowsChanged: number }>;
  runAndReadAll(sql: string): Promise<{ getRows(): readonly (readonly unknown[])[] }>;
  extractStatements(sql: string): Promise<{ readonly count: number; prepare(index: number): Promise<DuckDbPrepared> }>;
}

export interface DuckDbPrepared {
  readonly statementType: number;
  readonly parameterCount: number;
  readonly columnCount: number;
  columnName(index: number): string;
  columnType(index: number): DuckDbType;
}

/** What a type does not have is absent. */
export interface DuckDbType {
  readonly typeId: number;
  /** Digits of a decimal number. */
  readonly width?: number;
  /** Of lists, arrays and maps. */
  readonly valueType?: DuckDbType;
  /** Of maps. */
  readonly keyType?: DuckDbType;
  /** Of unions. */
  readonly memberTags?: readonly string[];
  readonly memberTypes?: readonly DuckDbType[];
  /** Of structs; empty names: it has none. */
  readonly entryNames?: readonly string[];
  readonly entryTypes?: readonly DuckDbType[];
}
