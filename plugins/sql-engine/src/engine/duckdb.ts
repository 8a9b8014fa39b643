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
  columnTypeId(index: number): number;
}
