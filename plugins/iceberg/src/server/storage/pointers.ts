/**
 * Pointers to the metadata of tables, also while several of them change at once.
 *
 * A change of several tables first adds to each pointer what it will become, with the id of the change; then it writes one
 * record, `_lakefs_tables/iceberg/transactions/<id>`: at that moment all pointers have moved. After that the pointers are written
 * plainly and the record is removed. Readers and writers that find a pointer with such an addition look for the record; without one the old
 * value counts, also in a commit of the branch that was made in between.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { tablePath } from '../names.js';
import type { JsonObject } from '../exact-json.js';
import type { TablePlace } from '../names.js';
import type { RefRecords, Stored, WriteOutcome } from './records.js';

export interface TablePointer extends JsonObject {
  readonly 'table-uuid': string;
  readonly 'metadata-location': string;
}

/** As stored. */
interface PendingPointer extends JsonObject {
  /** Absent: the change creates the table. */
  readonly 'metadata-location'?: string;
  readonly pending?: TablePointer & { readonly transaction: string };
}

interface TransactionRecord extends JsonObject {
  readonly state: 'committed' | 'aborted';
}

/** Milliseconds that a writer waits for a change of several tables before it ends it. */
const patience = 5000;
const look = 20;

export const transactionPath = (id: string): string => `_lakefs_tables/iceberg/transactions/${id}`;

/** What readers see of a table; `undefined`: the table does not exist. */
export async function readPointer(records: RefRecords, place: TablePlace): Promise<TablePointer | undefined> {
  const found = await records.read<PendingPointer>(tablePath(place));
  if (!found) return undefined;
  const { pending } = found.value;
  const state = pending && (await records.read<TransactionRecord>(transactionPath(pending.transaction)))?.value.state;
  if (state !== undefined || !pending) return settled(found.value, state);
  // The record may have been removed after the pointer was read: it was written plainly before.
  const again = await records.read<PendingPointer>(tablePath(place));
  return again && (again.etag === found.etag ? settled(again.value, undefined) : readPointer(records, place));
}

/** For writers: ends a change of several tables that the pointer takes part in, after a while. */
export async function settlePointer(records: RefRecords, place: TablePlace): Promise<Stored<TablePointer> | undefined> {
  const path = tablePath(place);
  for (const since = performance.now(); ; ) {
    const found = await records.read<PendingPointer>(path);
    if (!found) return undefined;
    const { pending } = found.value;
    if (!pending) return found as Stored<TablePointer>;
    const record = await records.read<TransactionRecord>(transactionPath(pending.transaction));
    if (record) await rewrite(records, path, found, record.value.state);
    else if (performance.now() - since > patience) await abort(records, pending.transaction);
    else await sleep(look);
  }
}

/** Adds to a pointer what it will become. */
export function addPending(
  records: RefRecords,
  place: TablePlace,
  old: Stored<TablePointer> | undefined,
  pending: TablePointer & { readonly transaction: string },
): Promise<WriteOutcome> {
  const condition = old ? { ifMatch: old.etag } : ({ ifAbsent: true } as const);
  return records.write(tablePath(place), { ...old?.value, pending }, condition);
}

/** The moment at which all pointers of a change move, unless another writer has ended the change before. */
export function commitPending(records: RefRecords, transaction: string): Promise<WriteOutcome> {
  return records.write(transactionPath(transaction), { state: 'committed' }, { ifAbsent: true });
}

/** No pointer moves. @returns false when they all have. */
export async function abort(records: RefRecords, transaction: string): Promise<boolean> {
  if ((await records.write(transactionPath(transaction), { state: 'aborted' }, { ifAbsent: true })) === 'written') return true;
  return (await records.read<TransactionRecord>(transactionPath(transaction)))?.value.state === 'aborted';
}

/** Writes the pointers of an ended change plainly, then forgets the change. */
export async function finish(records: RefRecords, transaction: string, places: readonly TablePlace[]): Promise<void> {
  const record = await records.read<TransactionRecord>(transactionPath(transaction));
  if (!record) return;
  for (const place of places) {
    const found = await records.read<PendingPointer>(tablePath(place));
    if (found?.value.pending?.transaction === transaction) await rewrite(records, tablePath(place), found, record.value.state);
  }
  await records.remove(transactionPath(transaction), record.etag);
}

/** Of two writers that do so one succeeds, with the same result. */
async function rewrite(
  records: RefRecords,
  path: string,
  { value, etag }: Stored<PendingPointer>,
  state: TransactionRecord['state'],
): Promise<void> {
  const plain = settled(value, state);
  await (plain ? records.write(path, plain, { ifMatch: etag }) : records.remove(path, etag));
}

function settled({ pending, ...old }: PendingPointer, state: TransactionRecord['state'] | undefined): TablePointer | undefined {
  if (pending && state === 'committed') {
    const { transaction: _, ...next } = pending;
    return next;
  }
  return old['metadata-location'] === undefined ? undefined : (old as TablePointer);
}
