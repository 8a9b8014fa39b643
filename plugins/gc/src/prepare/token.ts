/** The continuation token of a preparation of uncommitted addresses: where to continue. Callers hold it, so every member is checked. */
import { SrvError } from '@srv/kernel';
import { checkBranchId, xidSeconds } from '@srv/lib-records';

export interface Mark {
  readonly runId: string;
  readonly branch: string;
  /** Base64 of the key to continue with; empty: the first. */
  readonly path: string;
  /** Number of the branch's staging partition to continue with, newest first. */
  readonly partition: string;
  /** Whether an earlier page has written a file. */
  readonly hasFile: boolean;
}

export function encodeMark({ runId, branch, path, partition, hasFile }: Mark): string {
  return Buffer.from(JSON.stringify({ branch, path, run_id: runId, key: `${hasFile ? 'file' : ''}:${partition}` })).toString('base64');
}

/** @throws SrvError `invalid`. */
export function decodeMark(token: string): Mark {
  try {
    const found = JSON.parse(Buffer.from(token, 'base64').toString('utf8')) as Record<string, unknown>;
    const { branch, path, run_id: runId, key } = found;
    if (typeof branch !== 'string' || typeof path !== 'string' || typeof runId !== 'string') throw new Error('a member is missing');
    if (xidSeconds(runId) === undefined) throw new Error('run_id is not an id');
    checkBranchId(branch);
    const [file = '', partition = ''] = typeof key === 'string' ? key.split(/:(.*)/s) : [];
    return { runId, branch, path, partition, hasFile: file === 'file' };
  } catch (error) {
    throw new SrvError('invalid', 'invalid continuation token: start again without one', { cause: error });
  }
}
