/** Tables that an event of a branch is about: what its commit changes. */
import { isSrvError } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import { catalogPrefix, shownName, tableAt } from './names.js';
import type { Engine } from '@srv/engine/contract';
import type { EventDetails, EventRecord } from '@srv/kernel';

type EventTable = NonNullable<EventDetails['tables']>[number];

/** Tables that are named at most. */
const most = 1000;
const pageItems = 1000;

/** @returns `undefined` for events without a change of objects, such as those of tags. */
export async function tablesOf(engine: Engine, event: EventRecord): Promise<EventTable[] | undefined> {
  const { type, branch, commit } = event;
  if (type === 'prepare-commit') return branch === undefined ? undefined : uncommitted(engine, event.repository, branch);
  if (!/^(pre|post)-(commit|merge|revert|cherry-pick)$/.test(type) || commit?.metarangeId === undefined) return undefined;
  const repository = await engine.getRepository(event.repository);
  const [parent] = commit.parents ?? [];
  const left = parent === undefined ? '' : (await engine.getCommit(repository, parent)).metarangeId;
  const tables: EventTable[] = [];
  const request = { left, right: commit.metarangeId, start: Buffer.from(catalogPrefix), prefix: Buffer.from(catalogPrefix) };
  for await (const differences of engine.tables.diff({ namespace: namespaceOf(repository), signal: event.signal, ...request }))
    for (const { type: change, key } of differences) {
      if (change === 'conflict' || !add(tables, key.toString('utf8'), change)) continue;
      if (tables.length === most) return tables;
    }
  return tables;
}

async function uncommitted(engine: Engine, repository: string, branch: string): Promise<EventTable[]> {
  const tables: EventTable[] = [];
  for (let after = ''; ; ) {
    const page = await engine.diffUncommitted(repository, branch, { prefix: catalogPrefix, after, amount: pageItems }).catch(gone);
    for (const { path, type } of page?.results ?? []) {
      if (type === 'added' || type === 'removed' || type === 'changed') add(tables, path, type);
      if (tables.length === most) return tables;
    }
    if (!page?.hasMore) return tables;
    after = page.nextOffset;
  }
}

function gone(error: unknown): undefined {
  if (!isSrvError(error, 'not_found')) throw error;
}

function add(tables: EventTable[], path: string, change: EventTable['change']): boolean {
  const table = tableAt(path);
  if (table) tables.push({ name: shownName(table), change });
  return table !== undefined;
}
