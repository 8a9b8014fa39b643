/**
 * Random histories of tables on several branches, compared with naive models: of rows (a merge is one of sets of rows; a snapshot
 * has the rows that it had when it was made, wherever it is read) and of files (a collection leaves what every snapshot of every
 * table of every kept commit and branch names).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isSrvError } from '@srv/kernel';
import { seededRandom, until } from '@srv/kernel/testing';
import { plainText } from '../../src/server/exact-json.js';
import { eachEntry } from '../../src/server/manifests/manifest.js';
import { tableAt } from '../../src/server/names.js';
import { namespacePath, schema } from './server.js';
import { TableData, parquetOf } from './table-data.js';
import type { SeededRandom } from '@srv/kernel/testing';
import type { CrashPoint } from './crash-point.js';
import type { CatalogServer } from './server.js';
import type { TableAt } from './table-data.js';

const by = { committer: 'test' };

/** Everything counts as old, and deleted branches cannot come back. */
export const ageless = { 'gc.min_age': '0s', 'gc.unsafe_min_age': true, 'gc.metadata_min_age': '0s', 'branches.undelete_days': 0 };

interface RunResult {
  readonly phase: string;
  readonly error?: string;
  readonly other_files: number;
}

export async function collect(server: CatalogServer, repository: string, body: object = {}): Promise<RunResult> {
  // Files of this very millisecond are not older than it.
  await sleep(2);
  const base = `/api/v1/repositories/${repository}/gc/runs`;
  const start = () => server.call('POST', base, { body: { mode: 'run', ...body }, headers: { 'content-type': 'application/json' } });
  const end = (id: string): Promise<RunResult> =>
    until(async () => {
      const run = JSON.parse((await server.call('GET', `${base}/${id}`)).body) as RunResult;
      return run.phase === 'marking' || run.phase === 'sweeping' ? undefined : run;
    });
  let { body: text, status } = await start();
  // A run whose server died is resumed.
  const [, resumed] = /run (\S+) collects this repository already/.exec(text) ?? [];
  if (status === 409 && resumed !== undefined) {
    await end(resumed);
    ({ body: text, status } = await start());
  }
  assert.equal(status, 202, text);
  return end((JSON.parse(text) as { id: string }).id);
}

/** The server of a history, which may die at a write and start again on the same stores. */
export interface ModelServer {
  readonly server: CatalogServer;
  /** Absent: it does not die. */
  readonly crash?: { readonly point: CrashPoint; readonly restart: () => Promise<void> };
  /** Has a client read snapshots. @returns sorted values of the column `id` of each. */
  readonly read?: (samples: readonly Sample[]) => Promise<unknown>;
}

/** A snapshot as clients find it. */
export interface Sample {
  readonly repository: string;
  readonly ref: string;
  readonly table: string;
  readonly snapshot: string;
}

/** Snapshots of a history that a client reads. */
const sampled = 12;

class TableModel {
  readonly #at: ModelServer;
  readonly #random: SeededRandom;
  readonly #repository: string;
  /** Whether only heads and tags stay. */
  readonly #headsOnly: boolean;
  readonly steps: string[] = [];
  /** Rows of data files, by address. */
  readonly #rows = new Map<string, readonly number[]>();
  /** Rows of snapshots when they were made, by id. */
  readonly #snapshots = new Map<string, readonly number[]>();
  #count = 0;
  /** Of a change at which the server died: what must hold now. */
  #whenRestarted: (() => Promise<void>) | undefined;
  /** Whether what was under way when the server died may keep more files: pointers of a change of several tables, sealed partitions. */
  #hasDied = false;

  constructor(at: ModelServer, random: SeededRandom, repository: string) {
    this.#at = at;
    this.#random = random;
    this.#repository = repository;
    this.#headsOnly = random.below(2) === 0;
  }

  get #server(): CatalogServer {
    return this.#at.server;
  }

  get #data(): TableData {
    return new TableData(this.#server, this.#repository);
  }

  async run(steps: number): Promise<void> {
    await this.#begin();
    for (let i = 0; i < steps; i++) await this.#step();
    await this.#collect();
    await this.#sample();
  }

  async #begin(): Promise<void> {
    const { engine } = this.#server;
    await engine.createRepository({ id: this.#repository, storageNamespace: `local://${this.#repository}` });
    const { status } = await this.#server.call('POST', '/namespaces', { body: { namespace: [this.#repository, 'main', 'sales'] } });
    assert.equal(status, 200);
    await engine.commit(this.#repository, 'main', { ...by, message: 'namespace' });
    if (!this.#headsOnly) return;
    const rules = { default_retention_days: 0, branches: [] };
    const set = await this.#server.call('PUT', `/api/v1/repositories/${this.#repository}/settings/gc_rules`, {
      body: rules,
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(set.status, 204, set.body);
  }

  async #step(): Promise<void> {
    const { choose } = this.#random;
    const ref = choose(await this.#branches());
    const table = { ref, name: choose(['a', 'b']) };
    const actions: readonly (readonly [number, string, () => Promise<unknown>])[] = [
      [3, 'create', () => this.#create(table)],
      [8, 'append', () => this.#append(table)],
      [3, 'transaction', () => this.#transaction(ref)],
      [2, 'compact', () => this.#compact(table)],
      [1, 'overwrite', () => this.#overwrite(table)],
      [3, 'expire', () => this.#expire(table)],
      [1, 'rollback', () => this.#rollback(table)],
      [1, 'statistics', () => this.#statistics(table)],
      [2, 'drop', () => this.#drop(table)],
      [2, 'orphan', () => this.#orphan(table)],
      [6, 'commit', () => this.#server.engine.commit(this.#repository, ref, { ...by, message: 'step' })],
      [5, 'merge', async () => this.#merge(choose(await this.#branches()), ref)],
      [2, 'reset', () => this.#server.engine.resetBranch(this.#repository, ref, { type: 'all' })],
      [2, 'branch', () => this.#server.engine.createBranch(this.#repository, `b${++this.#count}`, ref)],
      [1, 'delete branch', () => (ref === 'main' ? Promise.resolve() : this.#server.engine.deleteBranch(this.#repository, ref))],
      [1, 'tag', () => this.#server.engine.createTag(this.#repository, `t${++this.#count}`, ref)],
      // Where only heads stay, the content of the commit before may be gone.
      [this.#headsOnly ? 0 : 1, 'revert', () => this.#revert(ref)],
      [2, 'collect', () => this.#collect()],
    ];
    const [, name, act] = choose(actions.flatMap(action => Array.from({ length: action[0] }, () => action)));
    this.steps.push(`${name} ${ref} ${table.name}`);
    const { point, restart } = this.#at.crash ?? {};
    this.#whenRestarted = undefined;
    if (point && this.#random.below(3) === 0) point.arm(this.#random.below(12), this.#random.below(2) === 0);
    try {
      await act();
    } catch (error) {
      if (point?.isDead) return this.#restarted(restart);
      // What cannot be done is not done; faults are not of these codes.
      if (!isSrvError(error, 'no_changes', 'dirty_branch', 'conflict', 'invalid', 'not_found', 'not_unique') && !isRefusal(error))
        throw error;
      this.steps.push('refused');
    } finally {
      point?.disarm();
    }
    // It may have died in the background, after the answer.
    if (point?.isDead) await this.#restarted(restart);
  }

  async #restarted(restart: (() => Promise<void>) | undefined): Promise<void> {
    this.steps.push('died');
    this.#hasDied = true;
    await restart?.();
    await this.#whenRestarted?.();
  }

  async #branches(): Promise<string[]> {
    return (await this.#server.engine.listBranches(this.#repository)).results.map(({ id }) => id);
  }

  async #create({ ref, name }: TableAt): Promise<void> {
    await this.#server.call('POST', `${namespacePath(this.#repository, ref, 'sales')}/tables`, { body: { name, schema } });
  }

  /** A new data file, by default with one new row. */
  async #file({ ref, name }: TableAt, kept?: readonly number[]): Promise<string> {
    const { metadata } = await this.#data.load({ ref, name });
    const id = ++this.#count;
    const address = `${metadata.location}/data/${id}.parquet`;
    const rows = kept ?? [id];
    await this.#data.write(address, parquetOf(rows));
    this.#rows.set(address, rows);
    return address;
  }

  async #append(table: TableAt): Promise<void> {
    const file = await this.#file(table);
    await this.#note(table, await this.#data.append(table, [file]));
  }

  /** Of both tables: all or none. */
  async #transaction(ref: string): Promise<void> {
    const added: { table: TableAt; file: string }[] = [];
    for (const name of ['a', 'b']) {
      const table = { ref, name };
      const file = await this.#file(table);
      added.push({ table, file });
    }
    const isThere = async ({ table, file }: { table: TableAt; file: string }): Promise<boolean> =>
      (await this.#data.filesAt(table)).includes(file);
    this.#whenRestarted = async () => {
      const [a, b] = await Promise.all(added.map(isThere));
      assert.equal(a, b, 'a change of several tables is there in part');
    };
    await this.#data.appendAll(added);
    assert.deepEqual(await Promise.all(added.map(isThere)), [true, true]);
  }

  async #compact(table: TableAt): Promise<void> {
    const files = (await this.#data.filesAt(table)).slice(0, 2);
    if (files.length === 0) return;
    const file = await this.#file(table, this.#rowsIn(files));
    await this.#note(table, await this.#data.compact(table, files, file));
  }

  /** A row goes, another one comes. */
  async #overwrite(table: TableAt): Promise<void> {
    const [first] = await this.#data.filesAt(table);
    if (first === undefined) return;
    const file = await this.#file(table, [...this.#rowsIn([first]).slice(1), this.#count + 1]);
    await this.#note(table, await this.#data.compact(table, [first], file, 'overwrite'));
  }

  #rowsIn(files: readonly string[]): number[] {
    return files.flatMap(file => this.#rows.get(file) ?? assert.fail(`${file} is unknown`)).sort((a, b) => a - b);
  }

  async #note(table: TableAt, snapshot: bigint): Promise<void> {
    this.#snapshots.set(String(snapshot), this.#rowsIn(await this.#data.filesAt(table, snapshot)));
  }

  async #merge(from: string, into: string): Promise<void> {
    const { engine } = this.#server;
    const { baseCommitId: base } = await engine.findMergeBase(this.#repository, from, into);
    await this.#combine({ base, source: `${from}@`, into }, () => engine.merge(this.#repository, from, into, by));
  }

  async #revert(branch: string): Promise<void> {
    const { engine } = this.#server;
    const { results } = await engine.log(this.#repository, branch, { amount: 5 });
    const { id, parents } = this.#random.choose(results);
    const [parent] = parents;
    if (parent === undefined || parents.length > 1) return;
    await this.#combine({ base: id, source: parent, into: branch }, () => engine.revert(this.#repository, branch, { ...by, ref: id }));
  }

  /** A merge of any kind: what is expected of it is a merge of sets of rows. */
  async #combine(
    sides: { readonly base: string; readonly source: string; readonly into: string },
    work: () => Promise<unknown>,
  ): Promise<void> {
    const { base, source, into } = sides;
    const rowsAt = (ref: string) => Promise.all(['a', 'b'].map(name => this.#rowsAt({ ref, name })));
    // Where only heads stay, the base may have been collected.
    const [b, d, s] = await Promise.all([this.#headsOnly ? undefined : rowsAt(base), rowsAt(`${into}@`), rowsAt(source)]);
    const expected = b && d.map((rows, i) => mergedRows(b[i] ?? [], rows, s[i] ?? []));
    this.#whenRestarted = async () => {
      const found = await rowsAt(`${into}@`);
      if (expected && !isDeepStrictEqual(found, d)) assert.deepEqual(found, expected);
    };
    await work();
    if (expected) assert.deepEqual(await rowsAt(`${into}@`), expected);
  }

  /** No rows where there is no table. */
  async #rowsAt(table: TableAt): Promise<number[]> {
    try {
      return this.#rowsIn(await this.#data.filesAt(table));
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('404 ')) return [];
      throw error;
    }
  }

  async #expire(table: TableAt): Promise<void> {
    const { metadata } = await this.#data.load(table);
    const old = metadata.snapshots
      .map(snapshot => snapshot['snapshot-id'])
      .filter(id => plainText(id) !== plainText(metadata['current-snapshot-id']));
    if (old.length > 0) await this.#data.update(table, [{ action: 'remove-snapshots', 'snapshot-ids': old.slice(0, 2) }]);
  }

  async #rollback(table: TableAt): Promise<void> {
    const { metadata } = await this.#data.load(table);
    const snapshot = metadata.snapshots[0];
    if (snapshot)
      await this.#data.update(table, [
        { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': snapshot['snapshot-id'] },
        { action: 'set-properties', updates: { 'write.metadata.previous-versions-max': '2' } },
      ]);
  }

  async #statistics(table: TableAt): Promise<void> {
    const { metadata } = await this.#data.load(table);
    const id = metadata['current-snapshot-id'];
    if (id === undefined) return;
    const statistics = {
      'snapshot-id': id,
      'statistics-path': await this.#file(table),
      'file-size-in-bytes': 1,
      'file-footer-size-in-bytes': 1,
      'blob-metadata': [],
    };
    await this.#data.update(table, [{ action: 'set-statistics', 'snapshot-id': id, statistics }]);
  }

  async #drop({ ref, name }: TableAt): Promise<void> {
    await this.#server.call('DELETE', `${namespacePath(this.#repository, ref, 'sales')}/tables/${name}`);
  }

  async #orphan(table: TableAt): Promise<void> {
    await this.#file(table);
  }

  async #collect(): Promise<void> {
    const expected = await this.#reachable();
    const run = await collect(this.#server, this.#repository);
    assert.deepEqual([run.phase, run.error], ['done', undefined]);
    const stored = await this.#stored();
    const left = this.#hasDied ? stored.filter(file => expected.has(file)) : stored;
    assert.deepEqual(left, [...expected].sort());
    // What is left can be read: every snapshot has its rows.
    assert.deepEqual(await this.#reachable(), expected);
  }

  /** Below the folder of table files. */
  async #stored(): Promise<string[]> {
    const found: string[] = [];
    try {
      const block = this.#server.kernel.services.get('block');
      const root = block.resolve({ namespace: `local://${this.#repository}`, identifier: 'tables/x', identifierType: 1 }).slice(0, -1);
      for await (const page of block.walk(root)) found.push(...page.map(({ relativeKey }) => relativeKey));
    } catch (error) {
      if (!isSrvError(error, 'not_found', 'no_data')) throw error;
    }
    return found.sort();
  }

  /** Refs and commits whose tables stay. */
  async #kept(): Promise<string[]> {
    const { engine } = this.#server;
    const branches = await this.#branches();
    const tags = (await engine.listTags(this.#repository)).results.map(({ id }) => id);
    const kept = [...branches, ...branches.map(branch => `${branch}@`), ...tags];
    if (this.#headsOnly) return kept;
    // Without rules all commits stay, those that no branch has any longer as well.
    const repository = await engine.getRepository(this.#repository);
    const records = this.#server.kernel.services
      .get('kv')
      .scan(`${repository.id}-${repository.instanceUid}`, { start: Buffer.from('commits/') });
    for await (const page of records)
      for (const { key } of page) if (key.toString('utf8').startsWith('commits/')) kept.push(key.toString('utf8').slice('commits/'.length));
    return kept;
  }

  /** A client finds the same rows in some of the snapshots that are left, on branches, tags and commits. */
  async #sample(): Promise<void> {
    const { read } = this.#at;
    if (!read) return;
    const found: { sample: Sample; rows: readonly number[] }[] = [];
    for (const ref of (await this.#kept()).filter(kept => !kept.endsWith('@')))
      for (const table of ['a', 'b']) {
        const loaded = await this.#data.load({ ref, name: table }).catch(() => undefined);
        for (const { 'snapshot-id': id } of loaded?.metadata.snapshots ?? []) {
          const snapshot = plainText(id);
          const rows = this.#snapshots.get(snapshot) ?? this.#rowsIn(await this.#data.filesAt({ ref, name: table }, BigInt(id)));
          found.push({ sample: { repository: this.#repository, ref, table, snapshot }, rows });
        }
      }
    const chosen = Array.from({ length: Math.min(sampled, found.length) }, () => this.#random.choose(found));
    const rows = await read(chosen.map(({ sample }) => sample));
    assert.deepEqual(
      rows,
      chosen.map(one => one.rows),
      JSON.stringify(chosen.map(({ sample }) => sample)),
    );
  }

  async #reachable(): Promise<Set<string>> {
    const { engine } = this.#server;
    const files = new Set<string>();
    const done = new Set<string>();
    const keep = (address: string): void => void files.add(address.slice(`s3://${this.#repository}/.tables/`.length));
    for (const ref of await this.#kept())
      for (const { path } of (await engine.list(this.#repository, ref, { prefix: '_lakefs_tables/', amount: 1000 })).results) {
        const table = tableAt(path);
        if (!table) continue;
        const { location, metadata } = await this.#data.load({ ref, name: table.table }).catch((error: unknown) => {
          throw new Error(`${ref}: ${path} (${this.#headsOnly ? 'heads only' : 'all commits'})`, { cause: error });
        });
        if (done.has(location)) continue;
        done.add(location);
        keep(location);
        for (const line of metadata['metadata-log']) keep(plainText(line['metadata-file']));
        for (const file of metadata.statistics) keep(plainText(file['statistics-path']));
        for (const snapshot of metadata.snapshots) {
          keep(plainText(snapshot['manifest-list']));
          const rows = this.#snapshots.get(plainText(snapshot['snapshot-id']));
          const own = await this.#data.filesAt({ ref, name: table.table }, BigInt(snapshot['snapshot-id']));
          if (rows) assert.deepEqual(this.#rowsIn(own), rows);
          for (const manifest of await this.#data.manifests(snapshot)) {
            keep(manifest.path);
            await eachEntry(await this.#data.read(manifest.path), entry => {
              if (entry.status !== 2) keep(entry.path);
            });
          }
        }
      }
    return files;
  }
}

/** Rows that one side removed are gone, those that one side added are there. */
function mergedRows(base: readonly number[], destination: readonly number[], source: readonly number[]): number[] {
  const isRemoved = (row: number): boolean => base.includes(row) && !(destination.includes(row) && source.includes(row));
  return [...new Set([...destination, ...source])].filter(row => !isRemoved(row)).sort((a, b) => a - b);
}

/** Of the catalog, by {@link TableData}. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && /^4\d\d /.test(error.message);
}

/** Each history is printed with its seed when it fails; `SRV_TEST_SEED` replays the first one. */
export function testHistories(at: () => ModelServer, { rounds, steps }: { readonly rounds: number; readonly steps: number }): void {
  const { seed } = seededRandom();
  test(`random histories of tables have the rows and leave the files that naive models expect (seed ${seed}, ${rounds} histories)`, async () => {
    for (let i = 0; i < rounds; i++) {
      const model = new TableModel(at(), seededRandom(seed + i), `model${i}`);
      try {
        await model.run(steps);
      } catch (error) {
        throw new Error(`seed ${seed + i}: ${model.steps.join(', ')}`, { cause: error });
      }
    }
  });
}
