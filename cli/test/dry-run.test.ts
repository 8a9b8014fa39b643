/** A dry run reports every change and makes none. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import engineOperations from '@srv/engine/operations';
import { scratchFolder } from '@srv/kernel/testing';
import { pluginOperations } from '../src/plugins/plugin-operations.js';
import { loadCommands } from '../src/run.js';
import { DryRunStop, fakeResponses, readOnly, shortcuts } from '../src/shell/dry-run.js';
import { page, refusal } from './fake-context.js';
import { shell } from './shell.js';
import type { AnyOperation } from '@srv/lib-api';
import type { Client } from '../src/client.js';

const scratch = scratchFolder();
after(() => rmSync(scratch, { recursive: true, force: true }));

const branches = { listBranches: page([{ id: 'main', commit_id: 'c1' }]) };
const object = (path: string) => ({ path, path_type: 'object', physical_address: '', checksum: '', size_bytes: 1, mtime: 0 });
/** A server whose object store takes uploads by pre-signed URLs. */
const signing = { getConfig: { storage_config: { pre_sign_support: true, pre_sign_multipart_upload: true } } };

test('reads as usual, and only reports changes', async () => {
  const { run, out, calls, told } = shell(branches, { dryRun: true });
  assert.equal(await run('branch list srv://repo\nbranch delete srv://repo/main\nfs download srv://repo/main/x y'), 0);
  assert.deepEqual(
    calls.map(([name]) => name),
    ['listBranches'],
  );
  assert.equal(
    out(),
    [
      'main\tc1',
      'Branch: srv://repo/main',
      'would call: deleteBranch {"repository":"repo","branch":"main"}',
      'would run: fs download srv://repo/main/x y',
      '',
    ].join('\n'),
  );
  assert.deepEqual(told, ['branch list: changes nothing']);
});

/** What may be asked of the server: all that changes nothing, but no URL to upload by; the case itself checks `call`. */
const reads = new Set([
  'call',
  ...Object.values(engineOperations)
    .filter(o => o.method === 'GET' && o.operationId !== 'getPhysicalAddress')
    .map(o => o.operationId),
]);

/** Each case: lines, and the changes that are reported. */
const several: readonly {
  readonly name: string;
  readonly lines: (folder: string) => string;
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly changes: readonly (readonly [operation: string, input: Readonly<Record<string, unknown>>])[];
}[] = [
  {
    name: 'every file of a folder, though the object store would take them itself',
    lines: folder => `fs upload -r srv://repo/main/to/ -s ${folder} -p 1`,
    answers: signing,
    changes: ['a', 'b', 'c/d'].map(path => ['uploadObject', { repository: 'repo', branch: 'main', path: `to/${path}`, body: '(content)' }]),
  },
  {
    name: 'every batch of objects that would be deleted',
    lines: () => 'fs rm -r srv://repo/main/x/',
    answers: { listObjects: page(Array.from({ length: 1001 }, (_, i) => object(`x/${i}`))) },
    changes: [
      ['deleteObjects', { repository: 'repo', branch: 'main', body: { paths: Array.from({ length: 1000 }, (_, i) => `x/${i}`) } }],
      ['deleteObjects', { repository: 'repo', branch: 'main', body: { paths: ['x/1000'] } }],
    ],
  },
  {
    name: 'a tag that is replaced',
    lines: () => 'tag create -f srv://repo/v1 srv://repo/main',
    answers: { getCommit: { id: 'c1' }, getTag: { id: 'v1', commit_id: 'c0' } },
    changes: [
      ['deleteTag', { repository: 'repo', tag: 'v1' }],
      ['createTag', { repository: 'repo', body: { id: 'v1', ref: 'main' } }],
    ],
  },
  {
    name: 'a change by way of the general call',
    lines: () => "const { status } = await (await client()).call('deleteTag', { repository: 'repo', tag: 'v1' })",
    changes: [['deleteTag', { repository: 'repo', tag: 'v1' }]],
  },
];
for (const { name, lines, answers, changes } of several) {
  test(`reports ${name}, and nothing else`, async () => {
    const folder = join(scratch, 'folder');
    mkdirSync(join(folder, 'c'), { recursive: true });
    for (const path of ['a', 'b', 'c/d']) writeFileSync(join(folder, path), path);
    const settings = { values: { 'options.parallelism': 1, 'local.skip_non_regular_files': false } };
    const { run, out, calls, told } = shell(answers ?? {}, { dryRun: true, settings });
    assert.equal(await run(lines(folder)), 0, told.join('\n'));
    const shown = out()
      .split('\n')
      .filter(line => line !== '' && !/^[A-Z][a-z ]+: srv:/.test(line))
      .map(line => /^would call: (\w+) (.*)$/.exec(line) ?? assert.fail(`shown: ${line}`))
      .map(([, operation, input = '']) => [operation, JSON.parse(input) as unknown]);
    assert.deepEqual(shown, changes);
    for (const [operation] of calls) assert.ok(reads.has(operation), `${operation} was called`);
  });
}

test('scripts continue after changes without an answer, and stop where one would be made up', async () => {
  const { run, out, calls } = shell({}, { dryRun: true });
  const lines = [
    'const c = await client()',
    "await c.deleteBranch({ repository: 'repo', branch: 'a' })",
    "await c.deleteObjects({ repository: 'repo', branch: 'a', body: { paths: ['x'] } })",
    '"never"',
  ];
  assert.equal(await run(lines.join('\n')), 1);
  assert.deepEqual(calls, []);
  assert.match(out(), /^would call: deleteBranch .*\nwould call: deleteObjects .*\n$/);
});

test('a failure that is not one of the dry run stays one', async () => {
  const { run, out, told } = shell({ listObjects: () => Promise.reject(refusal(404, 'no such branch')) }, { dryRun: true });
  assert.equal(await run('fs rm -r srv://repo/nowhere/x'), 3);
  assert.equal(out(), '');
  assert.match(told.join('\n'), /no such branch\n404 Not Found/);
});

test('content is not read', async () => {
  const body = new PassThrough();
  const notes: string[] = [];
  const never = new Proxy({} as Client, { get: (_, name) => () => assert.fail(`${String(name)} was called`) });
  const client = readOnly(never, { note: change => notes.push(change), answers: fakeResponses });
  await client.uploadObject({ repository: 'repo', branch: 'main', path: 'x', body });
  await client.uploadObject({ repository: 'repo', branch: 'main', path: 'y', body: () => assert.fail('opened') });
  await client.uploadObject({ repository: 'repo', branch: 'main', path: 'z', body: Buffer.from('secret') });
  assert.ok(body.destroyed);
  assert.deepEqual(
    notes,
    ['x', 'y', 'z'].map(path => `uploadObject {"repository":"repo","branch":"main","path":"${path}","body":"(content)"}`),
  );
});

test('no operation that changes anything goes through, neither as a method nor by call', async () => {
  const never = new Proxy({} as Client, { get: (_, name) => () => assert.fail(`${String(name)} was called`) });
  const all = [...Object.values<AnyOperation>(engineOperations), ...Object.values(await pluginOperations())];
  assert.ok(
    all.some(({ operationId }) => operationId === 'createUser'),
    'operations of plugins are known',
  );
  for (const { operationId, method, result, status } of all) {
    if (method === 'GET' || method === 'HEAD') continue;
    const notes: string[] = [];
    const client = readOnly(never, { note: change => notes.push(change), answers: {} }) as unknown as Record<
      string,
      (...args: unknown[]) => Promise<unknown>
    >;
    if (shortcuts.includes(operationId)) {
      // Reported as the operation it stands for: commands do that without it.
      await assert.rejects(Promise.resolve(client[operationId]?.({ x: 1 })), /is not called in a dry run/);
      assert.deepEqual(notes, []);
      continue;
    }
    const answers = result.kind === 'empty';
    if (answers) {
      assert.equal(await client[operationId]?.({ x: 1 }), undefined);
      assert.deepEqual(await client.call?.(operationId, { x: 1 }), { status, headers: {}, data: undefined });
    } else {
      await assert.rejects(Promise.resolve(client[operationId]?.({ x: 1 })), DryRunStop);
      await assert.rejects(Promise.resolve(client.call?.(operationId, { x: 1 })), DryRunStop);
    }
    assert.equal(notes.length, 2, operationId);
  }
});

test('commands that do more than call the server say so', async () => {
  const commands = (await loadCommands()).list().map(({ command }) => command);
  const expected = [
    /^abuse (commit|create-branches|link-same-object|merge|random-delete|random-write)$/,
    /^bisect (bad|good|new|old|reset|run|start)$/,
    /^mcp$/,
    /^metastore (copy|copy-all|copy-schema|create-symlink|import-all)$/,
    /^local (checkout|clone|commit|init|pull)$/,
    /^(config|docs|fs download|login|logout|refs-dump|refs-restore)$/,
  ];
  for (const { name, localEffects = false } of commands)
    assert.equal(
      localEffects,
      expected.some(pattern => pattern.test(name)),
      name,
    );
  assert.ok(commands.some(({ localEffects }) => localEffects));
});
