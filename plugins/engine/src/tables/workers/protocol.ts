/** Messages between the serving thread and a worker. Each side asks, the other answers; a task's pages are pulled one by one. */
import { SrvError, isOutOfFiles, isSrvError, isStorageFull, messageOf } from '@srv/kernel/errors';
import type { ErrorCode } from '@srv/kernel';
import type { Strategy } from '../algorithms/index.js';
import type { FileKind } from '../cache/cache-meter.js';
import type { BreakRules } from '../format/index.js';

export type Task =
  | { readonly kind: 'warm-up' }
  | {
      readonly kind: 'apply';
      readonly base: string;
      readonly staged: boolean;
      readonly properties: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'merge'; readonly destination: string; readonly source: string; readonly base: string; readonly strategy: Strategy }
  | {
      readonly kind: 'replace';
      readonly base: string;
      readonly added: string;
      readonly prefixes: readonly string[];
      readonly keys: readonly string[];
    }
  | {
      readonly kind: 'diff';
      readonly left: string;
      readonly right: string;
      readonly base?: string | undefined;
      readonly exact: boolean;
      readonly start?: Uint8Array | undefined;
      readonly prefix?: Uint8Array | undefined;
    };

export interface TaskSettings {
  readonly namespace: string;
  readonly rules: BreakRules;
  /** Folders for unfinished files. */
  readonly workspaces: Readonly<Record<FileKind, string>>;
  readonly uploaders: number;
  /** Idle readers that a thread keeps. */
  readonly openReaders: Readonly<Record<FileKind, number>>;
  /** One 32-bit cell, set to 1 to cancel. */
  readonly cancel: SharedArrayBuffer;
}

/** To the worker. */
export type Request =
  | { readonly type: 'begin'; readonly task: number; readonly work: Task; readonly settings: TaskSettings }
  | { readonly type: 'next'; readonly task: number }
  | { readonly type: 'end'; readonly task: number }
  /** Its owner closes: the thread lets go of all files, or says that it is still busy. */
  | { readonly type: 'rest' }
  | { readonly type: 'answer'; readonly call: number; readonly value?: unknown; readonly error?: PlainError };

/** What a worker asks of the serving thread. */
export type Call =
  | { readonly method: 'path'; readonly namespace: string; readonly kind: FileKind; readonly id: string; readonly damaged: boolean }
  | { readonly method: 'store'; readonly namespace: string; readonly kind: FileKind; readonly id: string; readonly file: string }
  | { readonly method: 'changes' };

/** To the serving thread. */
export type Response =
  | { readonly type: 'page'; readonly task: number; readonly done: boolean; readonly value: unknown }
  | { readonly type: 'failed'; readonly task: number; readonly error: PlainError }
  | { readonly type: 'rested'; readonly isBusy: boolean }
  | { readonly type: 'call'; readonly call: number; readonly task: number; readonly ask: Call };

/** An error that survives the way between threads. */
interface PlainError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Causes are not sent: code and details say what matters of them. */
export function toPlain(error: unknown): PlainError {
  const details = isSrvError(error) ? { ...error.details } : {};
  const message = messageOf(error);
  if (isStorageFull(error)) return { code: 'storage_full', message, details };
  if (isOutOfFiles(error)) return { code: 'unavailable', message, details: { ...details, note: 'too many files are open' } };
  return { code: isSrvError(error) ? error.code : 'internal', message, details };
}

export function fromPlain({ code, message, details }: PlainError): SrvError {
  return new SrvError(code, message, { details });
}
