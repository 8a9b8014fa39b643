/** Random histories of a repository, and what a naive reader finds in them. */
import { isSrvError } from '@srv/kernel';
import type { Commit, Engine, Entry } from '@srv/engine/contract';
import type { SeededRandom } from '@srv/kernel/testing';

const branches = ['main', 'dev', 'fix'];
const folders = ['a/', 'a/b/', 'c/', ''];
/** Failures that a random step may meet. */
const expected = ['no_changes', 'conflict', 'not_found', 'not_unique', 'dirty_branch', 'invalid'] as const;

/** Runs a number of random steps. @returns the ids of all commits of the repository. */
export async function randomHistory(engine: Engine, repository: string, random: SeededRandom, steps: number): Promise<string[]> {
  const commits = new Set([(await engine.getBranch(repository, 'main')).commitId]);
  for (let step = 0; step < steps; step++)
    try {
      await randomStep(engine, repository, random, step);
    } catch (error) {
      if (!isSrvError(error, ...expected)) throw error;
    } finally {
      for (const branch of branches) {
        const found = await engine.getBranch(repository, branch).catch(() => undefined);
        if (found) commits.add(found.commitId);
      }
    }
  return [...commits];
}

async function randomStep(engine: Engine, repository: string, random: SeededRandom, step: number): Promise<void> {
  const branch = random.choose(branches);
  const committer = random.choose(['ann', 'bob']);
  const date = new Date(Date.UTC(2026, 0, 1) + step * 1000);
  switch (random.below(10)) {
    case 0:
      await engine.createBranch(repository, branch, random.choose(branches));
      return;
    case 1:
    case 2:
      await engine.merge(repository, random.choose(branches), branch, {
        committer,
        strategy: random.choose(['none', 'source-wins', 'dest-wins']),
        squash: random.below(4) === 0,
      });
      return;
    case 3:
      await engine.revert(repository, branch, { ref: `${branch}~${random.below(3)}`, committer });
      return;
    case 4:
      await engine.cherryPick(repository, branch, { ref: `${random.choose(branches)}~${random.below(2)}`, committer });
      return;
    case 5: {
      const from = await engine.getCommit(repository, random.choose(branches));
      const prefixes = random.below(2) === 0 ? [''] : ['a/'];
      await engine.import(repository, branch, { metarangeId: from.metarangeId, prefixes, keys: [], committer, message: 'import', date });
      return;
    }
    default:
      for (let i = random.below(12); i >= 0; i--) await randomChange(engine, repository, branch, random);
      await engine.commit(repository, branch, { committer, message: `step ${step}`, date });
  }
}

/** Few paths and contents, so that the same ones come back. */
async function randomChange(engine: Engine, repository: string, branch: string, random: SeededRandom): Promise<void> {
  const path = `${random.choose(folders)}${random.below(12)}.${random.choose(['png', 'txt'])}`;
  if (random.below(4) === 0) await engine.deleteObject(repository, branch, path);
  else
    await engine.putObject(repository, branch, path, Buffer.alloc(random.below(4) * 10, 'x'), {
      contentType: random.choose(['image/png', 'text/plain']),
      metadata: random.below(2) === 0 ? { label: random.choose(['cat', 'dog']) } : {},
    });
}

export interface NaiveRow {
  readonly entry: Entry;
  readonly commitId: string;
}

/** Lists commits whole and compares them entry by entry. */
export class NaiveReader {
  readonly #engine: Engine;
  readonly #repository: string;
  readonly #rows = new Map<string, ReadonlyMap<string, NaiveRow>>();

  constructor(engine: Engine, repository: string) {
    this.#engine = engine;
    this.#repository = repository;
  }

  async commit(id: string): Promise<Commit> {
    return this.#engine.getCommit(this.#repository, id);
  }

  /** By path, in order. */
  async rows(id: string): Promise<ReadonlyMap<string, NaiveRow>> {
    const known = this.#rows.get(id);
    if (known) return known;
    const parents: ReadonlyMap<string, NaiveRow>[] = [];
    for (const parent of (await this.commit(id)).parents) parents.push(await this.rows(parent));
    const rows = new Map<string, NaiveRow>();
    for (let after = ''; ; ) {
      const page = await this.#engine.list(this.#repository, id, { after, amount: 1000 });
      for (const item of page.results) {
        if (item.kind !== 'object') continue;
        const same = parents.map(parent => parent.get(item.path)).find(row => row && identityOf(row.entry) === identityOf(item.entry));
        rows.set(item.path, { entry: item.entry, commitId: same?.commitId ?? id });
      }
      if (!page.hasMore) break;
      after = page.nextOffset;
    }
    this.#rows.set(id, rows);
    return rows;
  }
}

/** What makes an object another one. */
function identityOf({ size, etag, metadata, contentType }: Entry): string {
  return JSON.stringify([size, etag, Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)), contentType]);
}
