/** ImportStatusData (io.treeverse.lakefs.graveler): one import, under `imports/<id>` of its repository. */

import { decodeCommit, encodeCommit } from '@srv/engine/refs/messages';
import { ProtoWriter, dateOf, readFields, readTimestamp, timestampOf, unknownFieldsOf, withUnknownFields } from '@srv/lib-records';
import { decodeOrder, encodeOrder } from './import-order.js';
import type { Commit } from '@srv/engine/contract';
import type { ImportOrder } from './import-order.js';

export interface ImportRecord {
  readonly id: string;
  readonly completed: boolean;
  readonly updatedAt: Date;
  readonly progress: number;
  readonly metarangeId: string;
  readonly commit?: Commit;
  /** Empty: none. */
  readonly error: string;
  /** What it takes to resume it. Stored until it ends; absent if another product's server runs it. */
  readonly order?: ImportOrder;
}

/** A field of our own: others pass it over. */
const orderField = 1000;
const known = new Set([1, 2, 3, 4, 5, 6, 7, orderField]);

/** Whether it has neither succeeded nor failed. */
export function isUnfinished({ completed, error }: ImportRecord): boolean {
  return !completed && error === '';
}

export function encodeImport(record: ImportRecord): Buffer {
  return new ProtoWriter()
    .string(1, record.id)
    .bool(2, record.completed)
    .timestamp(3, timestampOf(record.updatedAt))
    .int(4, record.progress)
    .string(5, record.metarangeId)
    .message(6, record.commit && encodeCommit(record.commit))
    .string(7, record.error)
    .string(orderField, record.order && isUnfinished(record) ? encodeOrder(record.order) : '')
    .raw(unknownFieldsOf(record))
    .finish();
}

export function decodeImport(bytes: Buffer): ImportRecord {
  let found: ImportRecord = { id: '', completed: false, updatedAt: new Date(0), progress: 0, metarangeId: '', error: '' };
  for (const { field, int, bytes: value } of readFields(bytes, 'import record')) {
    if (field === 1) found = { ...found, id: value.toString('utf8') };
    else if (field === 2) found = { ...found, completed: int !== 0 };
    else if (field === 3) found = { ...found, updatedAt: dateOf(readTimestamp(value, 'import record')) };
    else if (field === 4) found = { ...found, progress: int };
    else if (field === 5) found = { ...found, metarangeId: value.toString('utf8') };
    else if (field === 6) found = { ...found, commit: decodeCommit(value) };
    else if (field === 7) found = { ...found, error: value.toString('utf8') };
    else if (field === orderField) found = { ...found, order: decodeOrder(value.toString('utf8')) };
  }
  return withUnknownFields(found, bytes, known);
}
