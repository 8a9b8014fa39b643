/** The Python client of the Hub, unchanged. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { needsProgram } from '@srv/kernel/testing';
import { partitionOf } from '@srv/lib-records';
import { findPython } from '@srv/test-servers/python';
import { needsHub, needsOldHub, oldVersion, pythonProgram, withOldHub } from './support/python.js';
import { startHub, token } from './support/server.js';
import type { HubServer } from './support/server.js';

const run = promisify(execFile);
const withDatasets = findPython('datasets');
const withTransformers = findPython('transformers');
/** What uploads leave until they are cleaned up: which way they came. */
const traces = async ({ kernel, engine }: HubServer): Promise<readonly string[]> => {
  const repository = await engine.getRepository('zoo').catch(() => undefined);
  if (!repository) return ['deleted'];
  const kinds = new Set<string>();
  for await (const page of kernel.services.get('kv').scan(partitionOf(repository)))
    for (const { key } of page) kinds.add(key.toString('utf8').split('/', 1)[0] ?? '');
  return [...kinds].filter(kind => kind.startsWith('huggingface-'));
};

async function passes(server: HubServer, script: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
  const { file, args, env } = pythonProgram(server, [script], more);
  const { stdout } = await run(file, args, { timeout: 300_000, env });
  assert.match(stdout, /^passed$/m);
}

const keep = { KEEP_REPOSITORY: '1' };
for (const [way, values, more, left] of [
  ['by Xet, its default,', {}, keep, ['huggingface-lfs', 'huggingface-xorb']],
  ['by LFS', {}, { ...keep, HF_HUB_DISABLE_XET: '1' }, ['huggingface-lfs']],
  ['within commits', { 'huggingface.large_files': 'inline' }, { WITHIN_COMMITS: '1' }, ['deleted']],
] as const) {
  test(`huggingface_hub creates, uploads ${way} reads, lists and deletes`, { skip: needsHub }, async t => {
    const server = await startHub(values, ['pulls']);
    t.after(server.stop);
    await passes(server, 'steps.py', more);
    assert.deepEqual(await traces(server), left);
  });
}

test(`huggingface_hub ${oldVersion} does the same by LFS`, { skip: needsOldHub }, async t => {
  const server = await startHub({}, ['pulls']);
  t.after(server.stop);
  await passes(server, 'steps.py', { ...keep, ...withOldHub });
  assert.deepEqual(await traces(server), ['huggingface-lfs']);
});

for (const [name, skip, more] of [
  ['huggingface_hub', needsHub, {}],
  [`huggingface_hub ${oldVersion}`, needsOldHub, withOldHub],
] as const)
  test(`${name} sends files by LFS in parts, and reads the same bytes`, { skip }, async t => {
    const server = await startHub();
    t.after(server.stop);
    await passes(server, 'parts.py', { HF_HUB_DISABLE_XET: '1', ...more });
    assert.deepEqual(await traces(server), ['huggingface-lfs', 'huggingface-parts']);
  });

test('git lfs pulls the files of a repository that has their pointers', { skip: needsProgram('git', 'git-lfs') }, async t => {
  const server = await startHub();
  t.after(server.stop);
  const { engine } = server;
  await engine.createRepository({ id: 'zoo', storageNamespace: 'local://zoo' });
  const content = Buffer.alloc(300_000, 'stored by the Hub, pulled by Git: ä ');
  const oid = createHash('sha256').update(content).digest('hex');
  await engine.putObject('zoo', 'main', 'a folder/ä.bin', content, { metadata: { 'hf-sha256': oid } });
  await engine.commit('zoo', 'main', { committer: 'test', message: 'content' });
  const folder = join(server.home, 'clone');
  mkdirSync(folder);
  const place = `${server.url.replace('://', `://${token.split(':').map(encodeURIComponent).join(':')}@`)}/hf/datasets/srv/zoo.git`;
  const git = (...args: readonly string[]) =>
    run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: server.home, GIT_TERMINAL_PROMPT: '0' },
    });
  await git('init', '-q', '-b', 'main');
  await git('config', 'lfs.url', `${place}/info/lfs`);
  await git('lfs', 'install', '--local');
  writeFileSync(join(folder, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n');
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`;
  writeFileSync(join(folder, 'x.bin'), pointer);
  await git('add', '.');
  await git('commit', '-q', '-m', 'a pointer');
  assert.equal(readFileSync(join(folder, 'x.bin'), 'utf8'), pointer);
  await git('lfs', 'pull');
  assert.ok(readFileSync(join(folder, 'x.bin')).equals(content));
  writeFileSync(join(folder, 'y.bin'), 'new');
  await git('add', '.');
  await git('commit', '-q', '-m', 'a new file');
  await assert.rejects(git('lfs', 'push', '--all', place), /hf upload/);
});

test('datasets are pushed, loaded by split, and streamed', { skip: withDatasets === undefined ? 'needs datasets' : false }, async t => {
  const server = await startHub();
  t.after(server.stop);
  await passes(server, 'data_sets.py');
});

test('transformers loads and pushes configurations and tokenizers, by branch, tag and commit', {
  skip: withTransformers === undefined ? 'needs transformers' : false,
}, async t => {
  const server = await startHub();
  t.after(server.stop);
  await passes(server, 'model.py');
});
