/** The list of commits whose objects stay, as a CSV file for foreign collectors (garbage collection, section 3). */
import { Readable } from 'node:stream';
import { isSrvError, messageOf } from '@srv/kernel';
import { checkWritable, descendingXid, partitionEpoch } from '@srv/lib-records';
import { storeOf } from '@srv/lib-stores/block';
import { activeCommits } from '../mark/active-commits.js';
import { commitsOf, gather, headsOf, tagsOf } from '../mark/repository-state.js';
import { folderUri, retentionFile } from './places.js';
import type { CommittedStore, Repository } from '@srv/engine/contract';
import type { KvStore, Logger } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { PreparedCommits } from '../contract.js';
import type { CommitFacts } from '../mark/active-commits.js';
import type { StoredRules } from '../rules/stored-rules.js';

export interface PrepareSources {
  readonly kv: KvStore;
  readonly block: BlockStore;
  readonly committed: CommittedStore;
  readonly rules: StoredRules;
  readonly log: Logger;
}

const header = 'commit_id,expired,metarange_id\n';
/** Rows of one chunk of the file. */
const rowsAtATime = 500;

/**
 * Writes the file. Commits that appear while it works stay too, and so do those of branches that move meanwhile: references
 * are read before and after.
 * @throws SrvError `read_only`.
 */
export async function prepareCommits(repository: Repository, sources: PrepareSources): Promise<PreparedCommits> {
  checkWritable(repository);
  const runId = descendingXid(partitionEpoch);
  const rows = await activeRows(repository, sources);
  const { block, committed } = sources;
  const file = await retentionFile(committed, repository, `commits/run_id=${runId}/commits.csv`);
  await block.put(file, Readable.from(csv(rows), { objectMode: false }));
  return locate(repository, runId, sources);
}

/** Locations of a run, with a new signed URL every time. */
export async function locate(
  repository: Repository,
  runId: string,
  { block, committed, log }: Pick<PrepareSources, 'block' | 'committed' | 'log'>,
): Promise<PreparedCommits> {
  const file = await retentionFile(committed, repository, `commits/run_id=${runId}/commits.csv`);
  const folder = await retentionFile(committed, repository, 'addresses/');
  const url = storeOf(block, file.namespace).info.preSign ? await signed(block, file, log) : undefined;
  return {
    runId,
    commitsLocation: block.resolve(file),
    addressesLocation: folderUri(block, folder),
    commitsUrl: url,
  };
}

async function signed(block: BlockStore, file: Parameters<BlockStore['preSign']>[0], log: Logger): Promise<string | undefined> {
  try {
    return (await block.preSign(file, 'read')).url;
  } catch (error) {
    if (!isSrvError(error, 'unsupported')) log.warn({ error: messageOf(error) }, 'cannot sign the URL of a list of commits');
    return undefined;
  }
}

async function activeRows(repository: Repository, { kv, rules: stored }: PrepareSources): Promise<readonly CommitFacts[]> {
  const rules = await stored.find(repository);
  const now = new Date();
  const headsBefore = await headsOf(kv, repository, now);
  const before = await commitsOf(kv, repository);
  const tagged = (await gather(tagsOf(kv, repository))).map(tag => tag.commitId);
  const heads = [...headsBefore, ...(await headsOf(kv, repository, now))];
  const commits = await commitsOf(kv, repository);
  const active = await activeCommits({ commits, heads, tagged, rules, now });
  return [...commits.values()].filter(({ id }) => active.has(id) || !before.has(id));
}

function* csv(rows: readonly CommitFacts[]): Generator<Buffer> {
  yield Buffer.from(header);
  for (let at = 0; at < rows.length; at += rowsAtATime)
    yield Buffer.from(
      rows
        .slice(at, at + rowsAtATime)
        .map(({ id, metarangeId }) => `${id},false,${metarangeId}\n`)
        .join(''),
    );
}
