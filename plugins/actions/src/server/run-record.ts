/** Records of runs in the key-value store (actions sheet, section 9.2): RunResultData, TaskResultData, SecondaryIndex. */
import { ProtoWriter, dateOf, readFields, readTimestamp, timestampOf } from '@srv/lib-records';
import { never } from '../wire-time.js';
import { decodeFacts, encodeFacts } from './run-facts.js';
import type { RunFacts } from './run-facts.js';

export interface RunRecord {
  readonly runId: string;
  /** Empty: none. So are the others. */
  readonly branch: string;
  readonly commitId: string;
  readonly sourceRef: string;
  readonly eventType: string;
  readonly start: Date;
  readonly end: Date;
  readonly passed: boolean;
  /** Absent in runs made elsewhere. */
  readonly facts?: RunFacts | undefined;
}

/** Of {@link RunRecord.facts}: other readers pass over it. */
const factsField = 101;

export interface TaskRecord {
  readonly runId: string;
  readonly hookRunId: string;
  readonly hookId: string;
  readonly action: string;
  readonly start: Date;
  readonly end: Date;
  readonly passed: boolean;
}

export function encodeRun(run: RunRecord): Buffer {
  return new ProtoWriter()
    .string(1, run.runId)
    .string(2, run.branch)
    .string(3, run.commitId)
    .string(4, run.sourceRef)
    .string(5, run.eventType)
    .timestamp(6, timestampOf(run.start))
    .timestamp(7, timestampOf(run.end))
    .bool(8, run.passed)
    .bytes(factsField, run.facts ? encodeFacts(run.facts) : Buffer.alloc(0))
    .finish();
}

/** @throws SrvError `corrupt`. */
export function decodeRun(bytes: Buffer): RunRecord {
  const what = 'run record';
  let found: RunRecord = { runId: '', branch: '', commitId: '', sourceRef: '', eventType: '', start: never, end: never, passed: false };
  for (const { field, int, bytes: value } of readFields(bytes, what)) {
    if (field === 1) found = { ...found, runId: value.toString('utf8') };
    else if (field === 2) found = { ...found, branch: value.toString('utf8') };
    else if (field === 3) found = { ...found, commitId: value.toString('utf8') };
    else if (field === 4) found = { ...found, sourceRef: value.toString('utf8') };
    else if (field === 5) found = { ...found, eventType: value.toString('utf8') };
    else if (field === 6) found = { ...found, start: dateOf(readTimestamp(value, what)) };
    else if (field === 7) found = { ...found, end: dateOf(readTimestamp(value, what)) };
    else if (field === 8) found = { ...found, passed: int !== 0 };
    else if (field === factsField) found = withFacts(found, decodeFacts(value));
  }
  return found;
}

function withFacts(run: RunRecord, facts: RunFacts | undefined): RunRecord {
  return facts ? { ...run, facts } : run;
}

export function encodeTask(task: TaskRecord): Buffer {
  return new ProtoWriter()
    .string(1, task.runId)
    .string(2, task.hookRunId)
    .string(3, task.hookId)
    .string(4, task.action)
    .timestamp(5, timestampOf(task.start))
    .timestamp(6, timestampOf(task.end))
    .bool(9, task.passed)
    .finish();
}

/** @throws SrvError `corrupt`. */
export function decodeTask(bytes: Buffer): TaskRecord {
  const what = 'hook run record';
  let found: TaskRecord = { runId: '', hookRunId: '', hookId: '', action: '', start: never, end: never, passed: false };
  for (const { field, int, bytes: value } of readFields(bytes, what)) {
    if (field === 1) found = { ...found, runId: value.toString('utf8') };
    else if (field === 2) found = { ...found, hookRunId: value.toString('utf8') };
    else if (field === 3) found = { ...found, hookId: value.toString('utf8') };
    else if (field === 4) found = { ...found, action: value.toString('utf8') };
    else if (field === 5) found = { ...found, start: dateOf(readTimestamp(value, what)) };
    else if (field === 6) found = { ...found, end: dateOf(readTimestamp(value, what)) };
    else if (field === 9) found = { ...found, passed: int !== 0 };
  }
  return found;
}

export function encodeIndex(primaryKey: Buffer): Buffer {
  return new ProtoWriter().bytes(1, primaryKey).finish();
}

/** @throws SrvError `corrupt`. */
export function decodeIndex(bytes: Buffer): Buffer {
  for (const { field, bytes: value } of readFields(bytes, 'index of runs')) if (field === 1) return value;
  return Buffer.alloc(0);
}
