/**
 * Messages between the store and its writing thread. Batches travel in columns: of many objects each would cost more
 * than the work itself.
 */
import type { BigIntStats } from 'node:fs';
import type { SegmentEnd } from '../journal/journal-append.js';
import type { ThreadFailure } from './batch-threads.js';

/** A small file to be written and named, or a name whose records in the journal end. */
export type WriteJob = WriteFileJob | { readonly kind: 'forget'; readonly name: string };

export interface WriteFileJob {
  readonly kind: 'write';
  /** Path below the base folder that the file gets, in folders whose real path it is; absent: it keeps a temporary one. */
  readonly name: string | undefined;
  /** Name of the object, whose escaped place is checked as well. */
  readonly object: string;
  readonly content: Uint8Array;
}

/** What a batch needs in addition to its jobs. */
interface BatchPlace {
  /** Real path of the base folder. */
  readonly base: string;
  /** Where files are written before they get their name. */
  readonly temporary: string;
  /** Whether files that are not in the journal are synced. */
  readonly syncs: boolean;
  /** Where the journal continues; absent: every file is synced separately. */
  readonly segment: SegmentEnd | undefined;
}

/** Jobs as they travel: an entry of each list is one of theirs. */
export interface WriteBatch extends BatchPlace {
  readonly names: readonly (string | undefined)[];
  /** `undefined` of an object whose name is that of its file. */
  readonly objects: readonly (string | undefined)[];
  /** Bytes of the content; {@link forgets} of a name that is forgotten. */
  readonly sizes: readonly number[];
  /** The contents one after the other. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const forgets = -1;

export function packJobs(jobs: readonly WriteJob[], place: BatchPlace): WriteBatch {
  const sizes = jobs.map(job => (job.kind === 'write' ? job.content.length : forgets));
  const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + Math.max(0, size), 0));
  let at = 0;
  for (const job of jobs) {
    if (job.kind === 'forget') continue;
    bytes.set(job.content, at);
    at += job.content.length;
  }
  const objects = jobs.map(job => (job.kind === 'write' && job.object !== job.name ? job.object : undefined));
  return { ...place, names: jobs.map(({ name }) => name), objects, sizes, bytes };
}

export function unpackJobs({ names, objects, sizes, bytes }: WriteBatch): WriteJob[] {
  let at = 0;
  return sizes.map((size, i): WriteJob => {
    const name = names[i];
    if (size === forgets) return { kind: 'forget', name: name ?? '' };
    at += size;
    return { kind: 'write', name, object: objects[i] ?? name ?? '', content: bytes.subarray(at - size, at) };
  });
}

/** What distinguishes one state of a file from another. */
export type FileState = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>;

export interface WrittenSmall {
  readonly state: FileState;
  /** Temporary path at which the file still lies, synced, where a rename may yet succeed; absent: it bears its name. */
  readonly unplaced: string | undefined;
  /** Whether the journal holds it, so that its name needs no sync of the folder. */
  readonly journalled: boolean;
  /** Whether something lies at the escaped place of the object. */
  readonly shadows: boolean;
}

/** `undefined` of a name that is forgotten. */
export type WriteResult = WrittenSmall | ThreadFailure | undefined;

/** Results as they travel. */
export interface WriteAnswer {
  /** Four numbers of each state, in the order of the jobs. */
  readonly states: BigUint64Array<ArrayBuffer>;
  readonly flags: Uint8Array;
  /** Of the few that need it, by place: the temporary path or the failure. */
  readonly others: ReadonlyMap<number, string | ThreadFailure>;
  /** Bytes the segment has now, or why it failed; absent when the batch had none. */
  readonly segment: number | ThreadFailure | undefined;
}

const flag = { written: 1, journalled: 2, shadows: 4 } as const;
const stateNumbers = 4;

export function packResults(results: readonly WriteResult[], segment: WriteAnswer['segment']): WriteAnswer {
  const states = new BigUint64Array(results.length * stateNumbers);
  const flags = new Uint8Array(results.length);
  const others = new Map<number, string | ThreadFailure>();
  for (const [i, result] of results.entries()) {
    if (result === undefined) continue;
    if ('message' in result) {
      others.set(i, result);
      continue;
    }
    const { state, journalled, shadows, unplaced } = result;
    states.set([state.dev, state.ino, state.size, state.mtimeNs], i * stateNumbers);
    flags[i] = flag.written | (journalled ? flag.journalled : 0) | (shadows ? flag.shadows : 0);
    if (unplaced !== undefined) others.set(i, unplaced);
  }
  return { states, flags, others, segment };
}

export function unpackResults({ states, flags, others }: WriteAnswer): WriteResult[] {
  return Array.from(flags, (bits, i): WriteResult => {
    const other = others.get(i);
    if (typeof other === 'object') return other;
    if (!(bits & flag.written)) return undefined;
    const [dev = 0n, ino = 0n, size = 0n, mtimeNs = 0n] = states.subarray(i * stateNumbers, (i + 1) * stateNumbers);
    const state = { dev, ino, size, mtimeNs };
    return { state, unplaced: other, journalled: (bits & flag.journalled) !== 0, shadows: (bits & flag.shadows) !== 0 };
  });
}
