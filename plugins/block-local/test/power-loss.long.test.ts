/**
 * The system stops in a storm of small writes: what was acknowledged is there, byte by byte. A process is killed; then what
 * the system had not yet written is damaged, as a power failure may: files are missing, empty, cut, full of zeros, or old.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isSrvError } from '@srv/kernel';
import { printNow } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { decodeSegment } from '../src/server/journal/journal-format.js';
import { openLocalBlockStore } from '../src/server/open.js';
import { random } from './random.js';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';
import type { PutRecord } from '../src/server/journal/journal-format.js';
import type { JournalLimits } from '../src/server/journal/journal-segments.js';
import type { Random } from './random.js';

const pointer = (identifier: string): ObjectPointer => ({ namespace: 'local://repo', identifier, identifierType: identifierType.relative });

const removed = 'removed';
/** What an object holds says which write made it: `<size>:<key>:<count>`. */
const content = (version: string): string => `${version} `.padEnd(Number(version.split(':')[0]), `${version} `);

/** `begin key version` and `done key version` of every change; of two at the same time, what was read afterwards is done. */
type Step = readonly ['begin' | 'done', string, string];

async function storm(path: string, seed: number, limits: Partial<JournalLimits>, folder: string): Promise<void> {
  const { int } = random(seed);
  const store = await openLocalBlockStore({ path, journalLimits: limits });
  let count = 0;
  const tell = (...step: Step): void => printNow(`${JSON.stringify(step)}\n`);
  const newVersion = (key: string): string => `${int(1, 8) === 1 ? int(66_000, 90_000) : int(0, 4000)}:${key}:${++count}`;
  const change = async (key: string): Promise<void> => {
    const versions = [int(1, 6) === 1 ? removed : newVersion(key)];
    if (int(1, 4) === 1) versions.push(newVersion(key));
    for (const version of versions) tell('begin', key, version);
    await Promise.all(versions.map(v => (v === removed ? store.remove(pointer(key)) : store.put(pointer(key), Buffer.from(content(v))))));
    const [only = ''] = versions;
    tell('done', key, versions.length === 1 ? only : ((await versionOf(store, key)) ?? removed));
  };
  const work = async (worker: number): Promise<void> => {
    for (let i = 1; ; i++)
      await change(int(1, 3) === 1 ? `${folder}/again/${worker}/${int(1, 4)}` : `data/${folder}/${worker}/${int(0, 9)}/${i}`);
  };
  await Promise.all(Array.from({ length: 6 }, (_, worker) => work(worker)));
}

/** Which write made an object; `undefined` when no write did. Fails when it is not whole. */
async function versionOf(store: BlockStore, key: string, context = ''): Promise<string | undefined> {
  try {
    const text = (await buffer(await store.get(pointer(key)))).toString();
    const version = /^\d+:[^:]+:\d+/.exec(text)?.[0] ?? '';
    assert.ok(text === content(version), `${context}${key} is not whole: ${text.slice(0, 50)}…`);
    return version;
  } catch (error) {
    if (isSrvError(error, 'no_data')) return undefined;
    throw error;
  }
}

/** The last acknowledged version of each key, and those that may have taken its place. */
interface Known {
  acknowledged: string;
  readonly begun: Set<string>;
}

async function stormAndKill(
  path: string,
  { seed, int }: Random,
  limits: Partial<JournalLimits>,
  folder = 'one',
): Promise<Map<string, Known>> {
  const script = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [script, 'storm', path, String(seed), JSON.stringify(limits), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const known = new Map<string, Known>();
  const last = int(200, 1500);
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [step, key, version] = JSON.parse(line) as Step;
    const of = known.get(key) ?? { acknowledged: removed, begun: new Set() };
    known.set(key, of);
    if (step === 'begin') of.begun.add(version);
    else {
      of.acknowledged = version;
      of.begun.clear();
    }
    if (++seen === last) child.kill('SIGKILL');
  }
  await exited;
  assert.ok(seen >= last, `seed ${seed}: the storm ended early, after ${seen} lines`);
  return known;
}

/** The records a killed store left. */
function recordsOf(path: string): { readonly puts: Map<string, PutRecord>; readonly segments: string[] } {
  const puts = new Map<string, PutRecord>();
  const journals = join(path, '.srv-journal');
  const segments = readdirSync(journals, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.log'))
    .sort()
    .map(name => join(journals, name));
  for (const segment of segments) {
    for (const { record } of decodeSegment(readFileSync(segment))?.records ?? []) {
      if (record.kind === 'put') puts.set(record.name, record);
      else puts.delete(record.name);
    }
  }
  return { puts, segments };
}

/** Damages files that were not synced, each in its way. @returns how many. */
function loseUnsynced(path: string, { int }: Random): number {
  const { puts, segments } = recordsOf(path);
  let damaged = 0;
  for (const [name, { mtimeNs, content: bytes }] of puts) {
    const file = join(path, name);
    // Another file than the journal's has been synced.
    if (!existsSync(file) || statSync(file, { bigint: true }).mtimeNs !== mtimeNs) continue;
    const kinds: readonly (() => unknown)[] = [
      () => rmSync(file),
      () => truncateSync(file),
      () => truncateSync(file, int(0, bytes.length)),
      () => writeFileSync(file, Buffer.alloc(bytes.length)),
      () => writeFileSync(file, 'what was here before'),
      () => undefined,
    ];
    const kind = int(0, kinds.length - 1);
    kinds[kind]?.();
    if (kind < kinds.length - 1) damaged++;
    // The file has the time of its write, or an older one.
    const seconds = Number(mtimeNs / 1000n - BigInt(int(1, 5_000_000))) / 1e6;
    if (existsSync(file)) utimesSync(file, seconds, seconds);
  }
  const newest = segments.at(-1);
  if (newest !== undefined && int(0, 1) === 1) appendFileSync(newest, Buffer.alloc(int(1, 200), int(0, 1)));
  return damaged;
}

async function assertAllThere(store: BlockStore, known: Map<string, Known>, context: string): Promise<void> {
  for (const [key, { acknowledged, begun }] of known) {
    const found = (await versionOf(store, key, context)) ?? removed;
    assert.ok(
      found === acknowledged || begun.has(found),
      `${context}${key} is ${found}, not ${acknowledged} or one of ${[...begun].join(', ')}`,
    );
  }
}

async function withFolder(work: (path: string) => Promise<void>): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), 'srv-power-loss-'));
  try {
    await work(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

const schedules: readonly Partial<JournalLimits>[] = [
  {},
  { segmentMs: 50 },
  { segmentMs: 20, retireAfterMs: 60 },
  { segmentBytes: 20_000, totalBytes: 100_000, retireAfterMs: 50 },
  { segmentMs: 30, retireAfterMs: 0, totalRecords: 100 },
  {},
];

const [, , role, path = '', seedText = '', limitsText = '{}', keys = ''] = process.argv;
if (role === 'storm') await storm(path, Number(seedText), JSON.parse(limitsText) as Partial<JournalLimits>, keys);
else {
  const { seed } = random();
  for (const [i, limits] of schedules.entries()) {
    test(`loses nothing when the power fails: ${JSON.stringify(limits)}, ${i}`, async () => {
      const numbers = random(seed + i);
      const context = `seed ${seed}: `;
      await withFolder(async path => {
        const known = await stormAndKill(path, numbers, limits);
        const damaged = loseUnsynced(path, numbers);
        if (limits.retireAfterMs === undefined && limits.totalBytes === undefined) assert.ok(damaged > 0, `${context}nothing was damaged`);
        const store = await openLocalBlockStore({ path, bootId: 'after the failure' });
        assert.deepEqual(readdirSync(join(path, '.srv-journal')), [], context);
        await assertAllThere(store, known, context);
        await store.close();
        assert.deepEqual(readdirSync(join(path, '.srv-tmp')), [], context);
      });
    });
  }

  test('loses nothing when the process is killed, and retires the journal it left', async () => {
    const numbers = random(seed + 100);
    const context = `seed ${seed}: `;
    await withFolder(async path => {
      const known = await stormAndKill(path, numbers, {});
      const { puts } = recordsOf(path);
      assert.ok(puts.size > 0, context);
      const store = await openLocalBlockStore({ path });
      await assertAllThere(store, known, context);
      for (let round = 0; readdirSync(join(path, '.srv-journal')).length > 0; round++) {
        assert.ok(round < 2000, `${context}the journal is still there`);
        await sleep(10);
      }
      await assertAllThere(store, known, context);
      await store.close();
    });
  });

  test('two stores on one folder lose nothing', async () => {
    const numbers = random(seed + 200);
    const context = `seed ${seed}: `;
    await withFolder(async path => {
      const both = await Promise.all(['one', 'two'].map(keys => stormAndKill(path, numbers, { segmentMs: 100 }, keys)));
      loseUnsynced(path, numbers);
      const store = await openLocalBlockStore({ path, bootId: 'after the failure' });
      for (const known of both) await assertAllThere(store, known, context);
      await store.close();
    });
  });
}
