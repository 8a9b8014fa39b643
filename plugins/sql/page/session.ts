/** Runs scripts: statement by statement, objects brought before each, and what it wrote stored after it. */
import { addressOf, addressText } from '@srv/lib-records/tables/sql/address';
import { engineSql, fileReplacement, withAddresses } from '@srv/lib-records/tables/sql/engine-sql';
import { fileUsesOf } from '@srv/lib-records/tables/sql/file-uses';
import { statementsOf } from '@srv/lib-records/tables/sql/statements';
import { Engine } from './engine.js';
import { EngineFiles, store } from './objects.js';
import type { Statement } from '@srv/lib-records/tables/sql/statements';
import type { Result } from './worker/protocol.js';

interface Written {
  readonly address: string;
  /** Bytes. */
  readonly size: number;
}

/** What is shown of the rows of a query. */
interface ShownResult {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly isNumeric?: boolean }[];
  readonly rows: readonly (readonly (string | number | null)[])[];
  /** Rows there are; absent: more than are shown. */
  readonly total: number | undefined;
}

export interface Outcome {
  /** Of the last statement that has one. */
  readonly result?: ShownResult;
  readonly written: readonly Written[];
  /** Where it was computed, for people. */
  readonly by: string;
  /** All rows of the result, where they can be had. */
  readonly exportAs?: (format: 'csv' | 'parquet') => Promise<Blob>;
}

interface Running {
  readonly engine: Engine;
  readonly files: EngineFiles;
}

/** One engine for the whole page. */
let running: Running | undefined;

/** Ends whatever runs; tables are gone. */
export function stop(): void {
  running?.engine.stop(new Error('Stopped: the engine starts again with the next query, without its tables.'));
  running = undefined;
}

/** @param onStep what is being done. @throws Error with what the engine or the server says. */
export async function runScript(script: string, signal: AbortSignal, onStep: (step: string) => void): Promise<Outcome> {
  const statements = statementsOf(script);
  if (statements.length === 0) throw new Error('There is nothing to run: write a query.');
  // Refused before anything is done.
  for (const statement of statements) for (const { address } of fileUsesOf(statement)) addressOf(address);
  const { engine, files } = await started(signal, onStep);
  let result: Result | undefined;
  const written: Written[] = [];
  for (const statement of statements) {
    try {
      const made = await runStatement(statement, { engine, files }, signal, onStep);
      if (made.result.columns.length > 0) ({ result } = made);
      written.push(...made.written);
    } catch (error) {
      throw error instanceof Error ? new Error(withAddresses(error.message, files.addresses)) : error;
    }
  }
  return { ...(result ? { result } : {}), ...(result?.isKept ? { exportAs: exported } : {}), written, by: 'in this browser' };
}

/** All rows of the last result that is kept. */
async function exported(format: 'csv' | 'parquet'): Promise<Blob> {
  if (!running) throw new Error('The engine was stopped: run the query again.');
  return running.engine.ask('exportResult', { format });
}

async function started(signal: AbortSignal, onStep: (step: string) => void): Promise<Running> {
  if (running && !running.engine.isStopped) return running;
  onStep('Starting the engine');
  const engine = await Engine.start(signal);
  running = { engine, files: new EngineFiles(engine) };
  return running;
}

async function runStatement(
  statement: Statement,
  { engine, files }: Running,
  signal: AbortSignal,
  onStep: (step: string) => void,
): Promise<{ readonly result: Result; readonly written: readonly Written[] }> {
  const uses = fileUsesOf(statement).map(use => ({ ...use, at: addressOf(use.address) }));
  const inUse = new Set<string>();
  const named = [];
  for (const use of uses) {
    named.push({ ...use, names: use.role === 'write' ? [files.nameFor(use.at)] : await files.bring(use.at, { inUse, signal, onStep }) });
  }
  onStep('Running');
  const targets = named.filter(({ role }) => role === 'write');
  const writes = targets.flatMap(({ names }) => names);
  const replacements = named.map(use => fileReplacement(use, { names: use.names, formats: ['csv', 'parquet'] }));
  const { result, written } = await engine.ask('run', { sql: engineSql(statement.text, replacements), isQuery: statement.isQuery, writes });
  for (const [i, { at }] of targets.entries()) {
    onStep(`Writing ${addressText(at)}`);
    await store(at, written[i] ?? new Blob(), signal);
  }
  return { result, written: targets.map(({ at }, i) => ({ address: addressText(at), size: written[i]?.size ?? 0 })) };
}
