/** Task and the status messages that hold one as field 1 (package engine). */
import { ProtoWriter, dateOf, readFields, readTimestamp, timestampOf } from '@srv/lib-records';

/** A long operation on its way. */
export interface TaskRecord {
  readonly id: string;
  readonly operation: string;
  readonly done: boolean;
  readonly updatedAt: Date;
  /** Steps or objects handled so far. */
  readonly progress: number;
  /** Empty: no failure. */
  readonly error: string;
  /** HTTP status for clients that poll; 0 until there is one. */
  readonly statusCode: number;
  /** Server that works on it. */
  readonly owner: string;
  /** Encoded result message; empty until there is one. */
  readonly info: Buffer;
}

export function encodeTask(task: TaskRecord): Buffer {
  const common = new ProtoWriter()
    .string(1, task.id)
    .bool(2, task.done)
    .timestamp(3, timestampOf(task.updatedAt))
    .int(4, task.progress)
    .string(5, task.error)
    .int(6, task.statusCode)
    .string(7, task.operation)
    .string(8, task.owner)
    .finish();
  return new ProtoWriter().bytes(1, common, true).bytes(2, task.info).finish();
}

export function decodeTask(bytes: Buffer): TaskRecord {
  const found = {
    id: '',
    operation: '',
    done: false,
    updatedAt: new Date(0),
    progress: 0,
    error: '',
    statusCode: 0,
    owner: '',
    info: Buffer.alloc(0) as Buffer,
  };
  for (const { field, bytes: part } of readFields(bytes, 'task record')) {
    if (field === 2) found.info = part;
    if (field !== 1) continue;
    for (const { field: member, int, bytes: value } of readFields(part, 'task record')) {
      if (member === 1) found.id = value.toString('utf8');
      else if (member === 2) found.done = int !== 0;
      else if (member === 3) found.updatedAt = dateOf(readTimestamp(value, 'task record'));
      else if (member === 4) found.progress = int;
      else if (member === 5) found.error = value.toString('utf8');
      else if (member === 6) found.statusCode = int;
      else if (member === 7) found.operation = value.toString('utf8');
      else if (member === 8) found.owner = value.toString('utf8');
    }
  }
  return found;
}
