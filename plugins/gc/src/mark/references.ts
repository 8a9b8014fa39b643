/** Which commits a run keeps, and what may be referred to again during the run. */

import { decodeCommit } from '@srv/engine/refs/messages';
import { SrvError } from '@srv/kernel';
import { partitionOf } from '@srv/lib-records';
import { pinsOf } from '../run/pins.js';
import { activeCommits, factsOf, thresholdOf } from './active-commits.js';
import { branchOf, commitsOf, gather, headsOf, tagsOf } from './repository-state.js';
import type { Repository } from '@srv/engine/contract';
import type { Rules } from '../rules/rules.js';
import type { StoredPin } from '../run/pins.js';
import type { MarkContext } from './context.js';
import type { KeepSet } from './keep-set.js';

interface KeptCommits {
  readonly metaranges: ReadonlySet<string>;
  readonly commits: number;
}

interface CommitRequest {
  readonly repository: Repository;
  readonly rules: Rules | undefined;
  readonly now: Date;
  /** Commits there were when the run began: later ones stay whatever their date. */
  readonly before: ReadonlySet<string>;
}

/** Everything the rules keep, and more: commits younger than the default, and commits that appeared since the run began. */
export async function keptCommits(
  { repository, rules, now, before }: CommitRequest,
  { kv }: Pick<MarkContext, 'kv'>,
): Promise<KeptCommits> {
  await requireDefaultBranch(repository, kv);
  const heads = await headsOf(kv, repository, now);
  const tagged = (await gather(tagsOf(kv, repository))).map(tag => tag.commitId);
  const again = await headsOf(kv, repository, now);
  const commits = await commitsOf(kv, repository);
  const active = await activeCommits({
    commits,
    heads: [...heads, ...again],
    tagged,
    rules,
    now,
  });
  const young = rules ? thresholdOf(now, rules.defaultRetentionDays) : 0;
  const kept = [...commits.values()].filter(({ id, date }) => active.has(id) || date > young || !before.has(id));
  const metaranges = new Set(kept.map(commit => commit.metarangeId));
  metaranges.delete('');
  return { metaranges, commits: kept.length };
}

/** A restore of refs brings the default branch last: before it, other branches and tags may be missing. */
async function requireDefaultBranch(repository: Repository, kv: MarkContext['kv']): Promise<void> {
  const { id, defaultBranch } = repository;
  if (await branchOf(kv, repository, defaultBranch)) return;
  throw new SrvError(
    'conflict',
    `the repository has no branch ${defaultBranch}, its default: it is bare or its refs are being restored, and nothing in it is garbage yet`,
    { details: { repository: id, branch: defaultBranch } },
  );
}

/** Keeps what operations in progress have pinned. @throws SrvError `conflict` while everything is pinned. */
export async function keepPinned(repository: Repository, keep: KeepSet, context: Pick<MarkContext, 'kv'>): Promise<readonly StoredPin[]> {
  const { pins, addresses, metaranges } = await pinnedContent(repository, context);
  await keep.keep(addresses);
  await keep.cover(metaranges);
  return pins;
}

/** What operations in progress have pinned. @throws SrvError `conflict` while everything is pinned. */
export async function pinnedContent(repository: Repository, { kv }: Pick<MarkContext, 'kv'>) {
  const pins = await pinsOf(kv, repository);
  if (pins.some(pin => pin.content.everything))
    throw new SrvError('conflict', 'another repository imports from this one; start the run again when it is done', {
      details: { repository: repository.id },
    });
  const metaranges = new Set<string>();
  for (const { content } of pins) {
    for (const metarange of content.metaranges ?? []) metaranges.add(metarange);
    for (const id of content.commits ?? []) metaranges.add(await metarangeOf(repository, id, kv));
  }
  return { pins, metaranges, addresses: pins.flatMap(({ content }) => content.addresses ?? []) };
}

/** Metarange of a commit; empty if it has none. */
async function metarangeOf(repository: Repository, commit: string, kv: MarkContext['kv']): Promise<string> {
  const found = commit === '' ? undefined : await kv.get(partitionOf(repository), Buffer.from(`commits/${commit}`));
  return found ? factsOf(decodeCommit(found.value)).metarangeId : '';
}

/** What every head that is kept, and every tag, shows now. */
export async function presentMetaranges(
  repository: Repository,
  rules: Rules | undefined,
  known: Map<string, string>,
  { kv }: Pick<MarkContext, 'kv'>,
): Promise<Set<string>> {
  const ids = (await headsOf(kv, repository, new Date())).map(head => head.commitId);
  if ((rules?.tags?.keep ?? 'all') === 'all') for await (const tag of tagsOf(kv, repository)) ids.push(tag.commitId);
  const found = new Set<string>();
  for (const id of ids) {
    const metarange = known.get(id) ?? (await metarangeOf(repository, id, kv));
    known.set(id, metarange);
    found.add(metarange);
  }
  return found;
}

export async function commitIds(kv: MarkContext['kv'], repository: Repository): Promise<ReadonlySet<string>> {
  return new Set((await commitsOf(kv, repository)).keys());
}
