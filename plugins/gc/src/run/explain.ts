/** Why an object stays: everything that names it. */
import { join } from 'node:path';
import { SrvError, isSrvError } from '@srv/kernel';
import { namespaceOf, storageRoot } from '@srv/lib-stores/block';
import { activeCommits } from '../mark/active-commits.js';
import { idBytes, namedAt, objectOf, objectsIn } from '../mark/object-id.js';
import { RangeLists } from '../mark/range-lists.js';
import { branchesOf, commitsOf, gather, headsOf, tagsOf } from '../mark/repository-state.js';
import { partitionsOf, stagedEntries } from '../mark/staged.js';
import { inNamespace } from '../prepare/places.js';
import { readRangeFile } from '../worker/range-file.js';
import { pinsOf } from './pins.js';
import type { Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { Explanation } from '../contract.js';
import type { MarkContext } from '../mark/context.js';

/** Reasons of one kind that are named. */
const maxNamed = 5;

interface ExplainOptions {
  readonly minAge: number;
  readonly collectedBy: (key: string) => Promise<string | undefined>;
}

/** @param address relative to the namespace, or full. @throws SrvError `invalid` for what no object of the repository can have. */
export async function explain(
  repository: Repository,
  address: string,
  context: MarkContext,
  { minAge, collectedBy }: ExplainOptions,
): Promise<Explanation> {
  const root = storageRoot(context.block, namespaceOf(repository));
  const key = address.startsWith(root) ? address.slice(root.length) : address;
  const id = objectOf(key);
  if (id === undefined)
    throw new SrvError(
      'invalid',
      `${JSON.stringify(address)} is not the address of an object of the repository: data/<partition>/<id> is expected`,
    );
  const found = await context.block.properties(inNamespace(repository, key)).catch((error: unknown) => {
    if (isSrvError(error, 'no_data')) return undefined;
    throw error;
  });
  const keptBy: string[] = [];
  const youngest = Math.max((namedAt(key) ?? 0) * 1000, found?.lastModified.getTime() ?? 0);
  if (Date.now() - youngest < minAge) keptBy.push(`it is younger than gc.min_age: of ${new Date(youngest).toISOString()}`);
  keptBy.push(...(await stagedReasons(repository, id, context.kv)), ...(await announcedReasons(repository, id, context.kv)));
  keptBy.push(...(await commitReasons(repository, id, context)));
  const run = found ? undefined : await collectedBy(key);
  return {
    address: key,
    exists: found !== undefined,
    size: found?.size,
    lastModified: found?.lastModified,
    keptBy,
    collectedBy: run,
  };
}

async function stagedReasons(repository: Repository, id: string, kv: KvStore): Promise<string[]> {
  const reasons: string[] = [];
  for (const branch of await gather(branchesOf(kv, repository)))
    for (const partition of partitionsOf(branch))
      for await (const rows of stagedEntries(kv, partition))
        for (const { key, entry } of rows)
          if (entry && objectsIn(entry.address).includes(id))
            reasons.push(`branch ${branch.id} has it uncommitted at ${JSON.stringify(key.toString('utf8'))}`);
  return shortened(reasons);
}

async function announcedReasons(repository: Repository, id: string, kv: KvStore): Promise<string[]> {
  const reasons: string[] = [];
  for await (const page of kv.scan('multiparts'))
    for (const { key, value } of page)
      if (objectsIn(value.toString('latin1')).includes(id)) reasons.push(`multipart upload ${key.toString('utf8')} writes it`);
  for (const { content } of await pinsOf(kv, repository)) {
    if (content.everything) reasons.push('another repository imports from this one');
    else if ((content.addresses ?? []).some(address => objectsIn(address).includes(id)))
      reasons.push('an operation under way refers to it');
  }
  return shortened(reasons);
}

async function commitReasons(repository: Repository, id: string, context: MarkContext): Promise<string[]> {
  const { kv, rules: stored } = context;
  const now = new Date();
  const [rules, commits, heads, tags] = await Promise.all([
    stored.find(repository),
    commitsOf(kv, repository),
    headsOf(kv, repository, now),
    gather(tagsOf(kv, repository)),
  ]);
  const active = await activeCommits({
    commits,
    heads,
    tagged: tags.map(tag => tag.commitId),
    rules,
    now,
  });
  const lists = new RangeLists(repository, join(context.cacheDir, repository.instanceUid, 'explain'), context);
  const { signal } = new AbortController();
  const holds = new Map<string, boolean>();
  const reasons: string[] = [];
  for (const { id: commit, metarangeId } of commits.values()) {
    if (!active.has(commit) || metarangeId === '') continue;
    const ranges = await lists.rangesOf([metarangeId], signal);
    await lists.prepare(ranges, signal);
    for (const range of ranges.keys()) if (!holds.has(range)) holds.set(range, contains(readRangeFile(lists.pathOf(range)), id));
    if (![...ranges.keys()].some(range => holds.get(range))) continue;
    const branches = heads.filter(head => head.commitId === commit).map(({ branch }) => `branch ${branch}`);
    const named = [...branches, ...tags.filter(tag => tag.commitId === commit).map(tag => `tag ${tag.id}`)];
    reasons.push(`commit ${commit}${named.length > 0 ? `, ${named.join(', ')}` : ''}`);
  }
  await lists.forgetOthers(holds);
  return shortened(reasons);
}

function contains(ids: Buffer, id: string): boolean {
  const wanted = Buffer.from(id, 'latin1');
  for (let at = ids.indexOf(wanted); at >= 0; at = ids.indexOf(wanted, at + 1)) if (at % idBytes === 0) return true;
  return false;
}

function shortened(reasons: readonly string[]): string[] {
  return reasons.length <= maxNamed ? [...reasons] : [...reasons.slice(0, maxNamed), `and ${reasons.length - maxNamed} more`];
}
