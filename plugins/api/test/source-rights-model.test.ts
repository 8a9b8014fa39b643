/** Whatever a user links, stages, copies or imports: nothing becomes readable that was not. Random policies and addresses. */
import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, it } from 'node:test';
import { runCount, seededRandom, until } from '@srv/kernel/testing';
import { basic } from './support/raw.js';
import { startWholeServer } from './support/whole-server.js';
import type { Client } from '@srv/engine/client';
import type { SeededRandom } from '@srv/kernel/testing';
import type { WholeServer } from './support/whole-server.js';

const users = runCount(4, 12);
const attempts = 40;
const repositories = ['lakes', 'rivers', 'seas'] as const;
const folders = ['open', 'team', 'secret'] as const;
const actions = [
  'fs:ReadObject',
  'fs:WriteObject',
  'fs:ListObjects',
  'fs:ImportFromStorage',
  'fs:*',
  'fs:Read*',
  'fs:CreateCommit',
] as const;

interface Stored {
  readonly repository: string;
  readonly path: string;
  readonly address: string;
}

/** It says what it is. */
const contentOf = ({ repository, path }: Pick<Stored, 'repository' | 'path'>): string => `${repository} ${path}`;

let server: WholeServer;
const stored: Stored[] = [];
let imported = 0;
let outside = '';
before(async () => {
  server = await startWholeServer({ mode: 'internal' });
  outside = join(server.folder, 'outside');
  await mkdir(outside, { recursive: true });
  await writeFile(join(outside, 'file'), 'outside');
  for (const repository of repositories) {
    await server.admin.createRepository({ body: { name: repository, storage_namespace: `local://${repository}` } });
    for (const folder of folders)
      for (const name of ['a', 'b']) {
        const path = `${folder}/${name}`;
        await server.admin.uploadObject({ repository, branch: 'main', path, body: Buffer.from(contentOf({ repository, path })) });
        const { physical_address: address } = await server.admin.statObject({ repository, ref: 'main', path });
        stored.push({ repository, path, address });
      }
    await server.admin.commit({ repository, branch: 'main', body: { message: 'all' } });
  }
});
after(() => server.stop());

/** Contents that the user can read, by any path there is. */
async function readable(user: Client, branch: string, of: readonly string[] = repositories): Promise<Set<string>> {
  const found = new Set<string>();
  for (const repository of of)
    for (const ref of ['main', branch]) {
      const { results } = await server.admin.listObjects({ repository, ref, amount: 1000 });
      for (const { path } of results) {
        const content = await user.getObject({ repository, ref, path }).then(
          ({ body }) => text(body),
          () => undefined,
        );
        if (content !== undefined) found.add(content);
      }
    }
  return found;
}

/** Contents of files in the storage of a repository, also of those that were written over. */
async function contentsIn(repository: string): Promise<readonly string[]> {
  const folder = join(server.folder, 'block', repository);
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile());
  return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')));
}

interface RandomUser {
  readonly client: Client;
  readonly authorization: string;
}

async function randomUser(id: string, random: SeededRandom): Promise<RandomUser> {
  const resource = (): string => {
    const repository = random.choose([...repositories, '*']);
    return random.choose([
      '*',
      `arn:lakefs:fs:::repository/${repository}`,
      `arn:lakefs:fs:::repository/${repository}/object/*`,
      `arn:lakefs:fs:::repository/${repository}/object/${random.choose(folders)}/*`,
      `arn:lakefs:fs:::namespace/*`,
    ]);
  };
  // Half of them may do everything, but for some exceptions.
  const all = { effect: 'allow' as const, action: ['fs:*'], resource: '*' };
  const some = Array.from({ length: 2 + random.below(4) }, () => {
    const effect = random.choose(['allow', 'deny'] as const);
    // Most exceptions are small, so that much else is allowed.
    if (effect === 'deny' && random.below(4) > 0) {
      const secret = `arn:lakefs:fs:::repository/${random.choose(repositories)}/object/${random.choose(folders)}/*`;
      return { effect, action: ['fs:ReadObject'], resource: secret };
    }
    return { effect, action: [effect === 'deny' ? 'fs:ReadObject' : random.choose(actions), random.choose(actions)], resource: resource() };
  });
  const statement = random.below(2) === 0 ? [all, ...some] : some;
  const { admin } = server;
  await admin.createUser({ body: { id } });
  await admin.createPolicy({ body: { id, statement } });
  await admin.attachPolicyToUser({ userId: id, policyId: id });
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = await admin.createCredentials({ userId: id });
  return {
    client: server.client({ accessKeyId, secretAccessKey }),
    authorization: `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64')}`,
  };
}

/** One way to make an object appear somewhere else. */
async function attempt({ client: user, authorization }: RandomUser, branch: string, random: SeededRandom): Promise<void> {
  const source = random.choose(stored);
  const place = { repository: random.choose(repositories), branch };
  const path = `${random.choose(folders)}/${random.choose(['a', 'new', 'other'])}`;
  const physical_address = random.choose([source.address, source.address, `local://${outside}/file`]);
  // An object of another size than its entry says is not read.
  const facts = { checksum: 'x', size_bytes: physical_address === source.address ? contentOf(source).length : 'outside'.length };
  const ways: readonly (() => Promise<unknown>)[] = [
    () => user.stageObject({ ...place, path, body: { physical_address, ...facts } }),
    () => user.linkPhysicalAddress({ ...place, path, body: { staging: { physical_address }, ...facts } }),
    () => user.copyObject({ ...place, dest_path: path, body: { src_repo: source.repository, src_ref: 'main', src_path: source.path } }),
    () =>
      user.copyObject({
        ...place,
        dest_path: path,
        body: { src_repo: source.repository, src_ref: 'main', src_path: source.path, shallow: true },
      }),
    () =>
      user.copyPrefix({ ...place, body: { from: `${random.choose(folders)}/`, to: `${random.choose(folders)}/sub/`, src_ref: 'main' } }),
  ];
  const imports = () => importOne(authorization, place, path, random);
  await random
    .choose([...ways, imports, imports, imports])()
    .catch(() => undefined);
}

/** An object, or what lies below a prefix: also of the namespace of a repository, or above it. */
/** @param user its `Authorization` header. */
async function importOne(
  user: string,
  place: { readonly repository: string; readonly branch: string },
  path: string,
  random: SeededRandom,
) {
  const { repository, branch } = place;
  const { address } = random.choose(stored);
  const [type, source] = random.choose([
    ['object', address],
    ['object', `local://${outside}/file`],
    ['common_prefix', address.slice(0, address.lastIndexOf('/') + 1)],
    ['common_prefix', address.slice(0, address.indexOf('/data/') + 1)],
    ['common_prefix', `local://${outside}/`],
  ] as const);
  // An import takes a branch without changes.
  await server.admin.commit({ repository, branch, body: { message: 'before an import' } }).catch(() => undefined);
  const url = `${server.url}/api/v1/repositories/${repository}/branches/${branch}/import`;
  const paths = [{ type, path: source, destination: type === 'object' ? path : `${path}/` }];
  const headers = { authorization: user, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ paths, commit: { message: 'import' } }) });
  const { id } = (await response.json()) as { readonly id?: string };
  if (id === undefined) return;
  const done = await until(async () => {
    const asked = await fetch(`${url}?id=${id}`, { headers: { authorization: basic } });
    const status = (await asked.json()) as { readonly completed: boolean; readonly error?: unknown };
    return (status.completed || status.error !== undefined) && status;
  });
  if (done.completed) imported++;
}

it('nothing becomes readable by naming an address, linking, copying or importing', async () => {
  const random = seededRandom();
  let made = 0;
  const copied = new Map<string, ReadonlySet<string>>();
  // Further users while too few of the first ones may do anything.
  for (let n = 0; n < users || (n < 5 * users && (imported === 0 || made <= 3)); n++) {
    const [id, branch] = [`user-${n}`, `of-user-${n}`];
    for (const repository of repositories) await server.admin.createBranch({ repository, body: { name: branch, source: 'main' } });
    const user = await randomUser(id, random);
    const before = await readable(user.client, branch);
    // Who may read all of a repository may read what others have copied to it, too, and import it from its storage.
    for (const repository of repositories)
      if (stored.every(object => object.repository !== repository || before.has(contentOf(object))))
        for (const content of copied.get(repository) ?? []) before.add(content);
    for (let i = 0; i < attempts; i++) await attempt(user, branch, random);
    const now = await readable(user.client, branch);
    // What lies outside of all repositories is for those who may import it, tables of metadata for those who may read all objects.
    const contents = new Set(stored.map(contentOf));
    const gained = [...now].filter(content => !before.has(content) && contents.has(content));
    assert.deepEqual(gained, [], `user ${n}, SRV_TEST_SEED=${random.seed}`);
    for (const repository of repositories)
      copied.set(
        repository,
        new Set([
          ...(copied.get(repository) ?? []),
          ...(await readable(server.admin, branch, [repository])),
          ...(await contentsIn(repository)),
        ]),
      );
    for (const repository of repositories)
      made += (await server.admin.diffRefs({ repository, leftRef: 'main', rightRef: branch, amount: 1000 })).results.length;
  }
  assert.ok(imported > 0, `only ${imported} imports succeeded: that proves nothing, SRV_TEST_SEED=${random.seed}`);
  assert.ok(made > 3, `only ${made} attempts succeeded: that proves nothing, SRV_TEST_SEED=${random.seed}`);
});
