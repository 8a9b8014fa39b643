/** Whatever a user links, stages, copies or imports: nothing becomes readable that was not. Random policies and addresses. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, it } from 'node:test';
import { seededRandom } from '@srv/kernel/testing';
import { startWholeServer } from './support/whole-server.js';
import type { Client } from '@srv/engine/client';
import type { SeededRandom } from '@srv/kernel/testing';
import type { WholeServer } from './support/whole-server.js';

const users = 12;
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
async function readable(user: Client, branch: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (const repository of repositories)
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

async function randomUser(id: string, random: SeededRandom): Promise<Client> {
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
    return { effect, action: [effect === 'deny' ? 'fs:ReadObject' : random.choose(actions), random.choose(actions)], resource: resource() };
  });
  const statement = random.below(2) === 0 ? [all, ...some] : some;
  const { admin } = server;
  await admin.createUser({ body: { id } });
  await admin.createPolicy({ body: { id, statement } });
  await admin.attachPolicyToUser({ userId: id, policyId: id });
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = await admin.createCredentials({ userId: id });
  return server.client({ accessKeyId, secretAccessKey });
}

/** One way to make an object appear somewhere else. */
async function attempt(user: Client, branch: string, random: SeededRandom): Promise<void> {
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
  await random
    .choose(ways)()
    .catch(() => undefined);
}

it('nothing becomes readable by naming an address, linking, copying or importing', async () => {
  const random = seededRandom();
  let made = 0;
  for (let n = 0; n < users; n++) {
    const [id, branch] = [`user-${n}`, `of-user-${n}`];
    for (const repository of repositories) await server.admin.createBranch({ repository, body: { name: branch, source: 'main' } });
    const user = await randomUser(id, random);
    const before = await readable(user, branch);
    for (let i = 0; i < attempts; i++) await attempt(user, branch, random);
    const now = await readable(user, branch);
    // What lies outside of all repositories is for those who may import it.
    const gained = [...now].filter(content => !before.has(content) && content !== 'outside');
    assert.deepEqual(gained, [], `user ${n}, SRV_TEST_SEED=${random.seed}`);
    for (const repository of repositories) made += (await server.admin.diffBranch({ repository, branch })).results.length;
  }
  assert.ok(made > 10, `only ${made} attempts succeeded: that proves nothing, SRV_TEST_SEED=${random.seed}`);
});
