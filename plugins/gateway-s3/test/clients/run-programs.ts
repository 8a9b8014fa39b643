/** Programs people use, where they are installed, against a real server: all of them the same steps. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { createRepository, startServer } from '../support/server.js';
import { certificateFile, tlsSettings } from '../support/transport.js';
import { awkwardNames, someNames } from './awkward-names.js';
import { canCarry, emptyBranch } from './program.js';
import { rclone } from './rclone.js';
import type { TestServer } from '../support/server.js';
import type { S3Program, Site, Steps } from './program.js';

const bucket = 'repo';
/** The longest key there is, in folders that a file system can hold. */
const longest = (prefix: string): string => {
  const name = Array.from({ length: 8 }, (_, i) => String(i).repeat(200)).join('/');
  return name.slice(0, 1024 - prefix.length);
};
let server: TestServer;
let site: Site;
let large: { readonly file: string; readonly md5: string };

/** @param secure over TLS, which is HTTP/2 for the programs that speak it. */
export async function testPrograms(programs: readonly S3Program[], { secure }: { readonly secure: boolean }): Promise<void> {
  before(async () => {
    server = await startServer(secure ? tlsSettings : {});
    await createRepository(server, bucket);
    await server.kernel.services.get('engine').createBranch(bucket, emptyBranch, 'main');
    const { url, port } = server.kernel.services.get('http').address();
    const trust = secure ? { certificate: certificateFile } : {};
    site = { url, host: `127.0.0.1:${port}`, bucket, folder: join(server.home, 'files'), ...trust };
    // Every program sends it in parts, the largest of them of 16 MiB.
    const bytes = randomBytes(20_000_000);
    large = { file: join(site.folder, 'large'), md5: hashOf(bytes) };
    mkdirSync(site.folder);
    writeFileSync(large.file, bytes);
    for (const name of awkwardNames.filter(canCarry(rclone))) save(join(site.folder, 'tree', name), `content of ${name}`);
  });
  after(() => server.stop());

  for (const program of programs) {
    const version = await program.version();
    const title = `${program.name} ${version ?? ''}`.trim();
    if (version === undefined) test(title, t => t.skip(`needs ${program.name}`));
    else {
      // HTTP/1.1 has the same bytes within TLS.
      const names = secure && program.http2 !== true ? someNames : awkwardNames;
      describe(title, () => askFor(program, `main/${program.name.replace(/\W+/g, '-')}/`, names.filter(canCarry(program))));
    }
  }
}

/** @param names to carry. */
function askFor(program: S3Program, prefix: string, names: readonly string[]): void {
  let steps: Steps;
  before(() => {
    steps = program.steps(site);
  });
  after(() => steps.end?.());
  const offered = program.steps({ url: '', host: '', bucket, folder: '' });
  const step = (name: string, needed: readonly (keyof Steps)[], work: (s: Required<Steps>) => Promise<void>): void => {
    if (needed.every(part => offered[part] !== undefined)) test(name, () => work(steps as Required<Steps>));
  };
  const local = (name: string): string => join(site.folder, name);
  const plain = `${prefix}a b+c%20ü.txt`;

  step('list buckets', ['buckets'], async ({ buckets }) => assert.match(await buckets(), /\brepo\b/));
  step('put', ['put'], async ({ put }) => {
    await put(local('tree/plain.txt'), plain);
    assert.equal(await contentAt(plain), 'content of plain.txt');
  });
  step('get', ['get'], async ({ get }) => {
    await get(plain, local('got'));
    assert.equal(readFileSync(local('got'), 'utf8'), 'content of plain.txt');
  });
  step('range', ['range'], async ({ range }) => assert.equal(await range(plain, 3, 9), 'tent of'));
  step('a large file in parts', ['putLarge', 'get'], async ({ putLarge, get }) => {
    await putLarge(large.file, `${prefix}large`);
    assert.match((await entryAt(`${prefix}large`)).etag, /-\d+$/);
    await get(`${prefix}large`, local('got'));
    assert.equal(hashOf(readFileSync(local('got'))), large.md5);
  });
  step('copy', ['copy'], async ({ copy }) => {
    await copy(plain, `${prefix}copy`);
    assert.equal(await contentAt(`${prefix}copy`), 'content of plain.txt');
  });
  step('delete', ['remove'], async ({ remove }) => {
    await remove(plain);
    await assert.rejects(entryAt(plain), { code: 'not_found' });
  });
  step('sync of awkward names', ['syncUp', 'syncDown'], async ({ syncUp, syncDown }) => {
    const [from, to] = [local(`up-${program.name}`), local(`down-${program.name}`)];
    for (const name of [...names, longest(`${prefix}sync/`)]) save(join(from, name), `content of ${name}`);
    mkdirSync(to);
    await syncUp(from, `${prefix}sync/`);
    await syncDown(`${prefix}sync/`, to);
    assert.deepEqual(contentsOf(to), contentsOf(from));
  });
  step('copy and removal of awkward names', ['syncUp', 'copyAll', 'removeAll'], async ({ copyAll, removeAll }) => {
    const copied = `${prefix}twin/`;
    await copyAll(`${prefix}sync/`, copied);
    assert.deepEqual(await contentsAt(copied), contentsOf(local(`up-${program.name}`)));
    await removeAll(copied);
    assert.deepEqual(await contentsAt(copied), {});
  });
  for (const name of Object.keys(offered.more ?? {})) {
    test(name, async () => {
      const work = steps.more?.[name] ?? assert.fail(`${name} is not offered any more`);
      await work(`${prefix}more/`);
    });
  }
}

/** @param key in the bucket. */
async function entryAt(key: string) {
  const at = key.indexOf('/');
  return server.kernel.services.get('engine').getEntry(bucket, key.slice(0, at), key.slice(at + 1));
}

async function contentAt(key: string): Promise<string> {
  return text(await server.kernel.services.get('engine').open(bucket, await entryAt(key)));
}

/** Contents of all objects below a prefix by the rest of their key. */
async function contentsAt(prefix: string): Promise<Record<string, string>> {
  const engine = server.kernel.services.get('engine');
  const [branch = '', ...folders] = prefix.split('/');
  const below = folders.join('/');
  const { results } = await engine.list(bucket, branch, { prefix: below, amount: 1000 });
  const paths = results.map(({ path }) => path);
  const contents = paths.map(async path => [path.slice(below.length), await contentAt(`${branch}/${path}`)] as const);
  return Object.fromEntries(await Promise.all(contents));
}

function hashOf(content: Buffer): string {
  return createHash('md5').update(content).digest('hex');
}

function save(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Contents of all files below a folder by relative path. */
function contentsOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  const files = entries.map(entry => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.sort().map(file => [relative(folder, file), readFileSync(file, 'utf8')]));
}
