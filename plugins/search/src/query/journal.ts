/** What changed when: the differences of commits from their first parents, newest first. */
import { decodeEntry } from '@srv/engine/objects/entry';
import { decodeValue, isTableId } from '@srv/engine/tables/format';
import { SrvError, throwIfAborted } from '@srv/kernel';
import { pageSize } from '@srv/lib-records';
import { namespaceOf } from '@srv/lib-stores/block';
import type { Commit, Comparison, Engine, Repository } from '@srv/engine/contract';
import type { Page } from '@srv/lib-records';
import type { JournalEntry, JournalRequest, ObjectState } from '../contract.js';

/** Commits without a change below the prefix that one page passes over; then it is shorter than requested. */
const maxCommits = 1000;

type JournalEngine = Pick<Engine, 'getCommit' | 'tables'>;

/** @throws SrvError `invalid` for a position that is not one of `nextOffset`. */
export async function journalPage(
  repository: Repository,
  head: string,
  request: JournalRequest,
  engine: JournalEngine,
): Promise<Page<JournalEntry>> {
  const amount = pageSize(request.amount);
  const place = positionOf(request.after);
  const results: JournalEntry[] = [];
  let passed = 0;
  let commit: Commit | undefined = await engine.getCommit(repository, place?.commit ?? head);
  let path = place?.path;
  while (commit && !(request.since && commit.creationDate < request.since)) {
    throwIfAborted(request.signal);
    const parent: Commit | undefined = commit.parents[0] === undefined ? undefined : await engine.getCommit(repository, commit.parents[0]);
    for await (const entry of changesOf(repository, { commit, parent, path, request }, engine)) {
      if (results.length === amount) return { results, hasMore: true, nextOffset: offsetOf(results.at(-1)) };
      results.push(entry);
    }
    if (++passed >= maxCommits && parent) return { results, hasMore: true, nextOffset: `${parent.id}/` };
    path = undefined;
    commit = parent;
  }
  return { results, hasMore: false, nextOffset: '' };
}

interface CommitChanges {
  readonly commit: Commit;
  readonly parent: Commit | undefined;
  /** After which the changes begin. */
  readonly path: Buffer | undefined;
  readonly request: JournalRequest;
}

async function* changesOf(
  repository: Repository,
  { commit, parent, path, request }: CommitChanges,
  { tables }: Pick<JournalEngine, 'tables'>,
): AsyncGenerator<JournalEntry> {
  const [left, right] = [parent?.metarangeId ?? '', commit.metarangeId];
  if (left === right) return;
  const prefix = Buffer.from(request.prefix ?? '');
  const pages = tables.diff({
    namespace: namespaceOf(repository),
    left,
    right,
    prefix: prefix.length > 0 ? prefix : undefined,
    start: path && Buffer.compare(path, prefix) > 0 ? path : undefined,
    signal: request.signal,
  });
  for await (const page of pages)
    for (const change of page) if (!path || Buffer.compare(change.key, path) > 0) yield entryOf(commit, change);
}

function entryOf({ id, committer, creationDate }: Commit, { key, left, right }: Comparison): JournalEntry {
  return {
    commitId: id,
    committer,
    date: creationDate,
    path: key.toString('utf8'),
    operation: !left ? 'added' : right ? 'changed' : 'removed',
    before: left && stateOf(left),
    after: right && stateOf(right),
  };
}

function stateOf(value: Buffer): ObjectState {
  const { size, etag } = decodeEntry(decodeValue(value).data);
  return { size, etag };
}

function offsetOf(last: JournalEntry | undefined): string {
  return last ? `${last.commitId}/${last.path}` : '';
}

function positionOf(after: string | undefined): { readonly commit: string; readonly path: Buffer | undefined } | undefined {
  if (after === undefined || after === '') return undefined;
  const [commit, path] = [after.slice(0, 64), after.slice(65)];
  if (!isTableId(commit) || after[64] !== '/')
    throw new SrvError('invalid', `after: ${JSON.stringify(after)} is not a position in a journal; pass next_offset of the page before`);
  return { commit, path: path === '' ? undefined : Buffer.from(path) };
}
