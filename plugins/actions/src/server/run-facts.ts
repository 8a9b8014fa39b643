/** What a run notes of its event beyond the format that others read, so that the run can be repeated. */
import type { EventRecord } from '@srv/kernel';

type NotedCommit = Pick<NonNullable<EventRecord['commit']>, 'committer' | 'message' | 'metadata'>;

export interface RunFacts extends Pick<EventRecord, 'tag' | 'mergeSource' | 'pullRequest' | 'repeats'> {
  readonly commit?: NotedCommit | undefined;
}

/** `undefined`: nothing that the record does not have. */
export function factsOf({ tag, mergeSource, pullRequest, repeats, commit }: EventRecord): RunFacts | undefined {
  const facts: RunFacts = {
    tag,
    mergeSource,
    pullRequest,
    repeats,
    commit: commit && notedCommit(commit),
  };
  return Object.values(facts).every(fact => fact === undefined) ? undefined : facts;
}

function notedCommit({ committer = '', message = '', metadata = {} }: NotedCommit): NotedCommit {
  return { committer, message, metadata };
}

export function encodeFacts(facts: RunFacts): Buffer {
  return Buffer.from(JSON.stringify(facts));
}

/** `undefined` for bytes that cannot be read: facts only say more about a run. */
export function decodeFacts(bytes: Buffer): RunFacts | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
