/**
 * The world in which the examples of the help take place: a server over an S3 store, and the repositories, users, groups
 * and files that examples speak of. As new for each example, so that none depends on another.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import authOperations from '@srv/auth/operations';
import { createClient } from '@srv/engine/client';
import { startWebhookReceiver } from '@srv/test-servers';
import { startGateway } from '@srv/test-servers/s3';
import { Cluster } from '../cluster.js';
import { writeFiles } from '../file-tree.js';
import { inherited } from '../processes.js';
import { CliHome, cliProgram, launchServer, repositoryRoot, untilUp } from '../programs.js';
import type { Client } from '@srv/engine/client';
import type { WebhookReceiver } from '@srv/test-servers';
import type { S3Server } from '@srv/test-servers/s3';
import type { RunningProcess } from '../processes.js';

const repository = 'example-repo';
const others = ['repo', 'old-repo'];
/** Examples make them. */
const toBeMade = { repositories: ['my-repo', 'bare-repo'], users: ['carol'], groups: ['Painters'], policies: ['ReadImages'] };
const statement = [{ action: ['fs:ReadObject'], effect: 'allow', resource: '*' }] as const;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ShellLine {
  readonly cwd: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Program that reads the line. Default: bash. */
  readonly shell?: string | undefined;
  /** Sees what is printed on standard error. */
  readonly attend?: (shown: string) => Promise<void>;
}

export class ExampleWorld {
  readonly #home: string;
  readonly #receiver: WebhookReceiver;
  readonly #store: S3Server;
  readonly #server: Cluster;
  readonly #aclServer: { readonly process: RunningProcess; readonly cli: CliHome };
  readonly #api: Client;
  #manifest: Awaited<ReturnType<Client['dumpStatus']>>['refs'];
  #round = 0;
  /** Of the server, when the world was as new. */
  #changesAtReset = -1;
  #metarangeFile: Buffer | undefined;
  /** Of the example repository: its commits stay there. */
  #mainNamespace = '';
  /** What stands in examples for what only a run can know. */
  #facts: { readonly commitId: string; readonly accessKeyId: string; readonly runId: string; readonly pullId: string } = {
    pullId: '',
    commitId: '',
    accessKeyId: '',
    runId: '',
  };

  private constructor(
    home: string,
    receiver: WebhookReceiver,
    store: S3Server,
    server: Cluster,
    aclServer: { process: RunningProcess; cli: CliHome },
  ) {
    this.#home = home;
    this.#receiver = receiver;
    this.#store = store;
    this.#server = server;
    this.#aclServer = aclServer;
    this.#api = createClient({
      operations: authOperations,
      endpointUrl: server.setting('endpoint_url'),
      accessKeyId: server.setting('access_key_id'),
      secretAccessKey: server.setting('secret_access_key'),
    });
  }

  static async open(home: string): Promise<ExampleWorld> {
    const store = await startGateway();
    const env = { SRV_DATABASE_TYPE: 'local', SRV_DATABASE_LOCAL_PATH: join(home, 'kv'), SRV_AUTH_UI_CONFIG_RBAC: 'internal' };
    const server = await Cluster.start({ home, stores: [store, { env }], servers: 1 });
    // Permissions of groups are of another way to keep rights.
    const aclHome = join(home, 'acl');
    await mkdir(aclHome);
    const process = launchServer(aclHome, undefined, { SRV_AUTH_UI_CONFIG_RBAC: 'simplified' });
    await untilUp(process);
    const world = new ExampleWorld(home, await startWebhookReceiver(), store, server, { process, cli: new CliHome(aclHome) });
    try {
      await world.#begin();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  async close(): Promise<void> {
    this.#api.close();
    await Promise.all([this.#aclServer.process.end('SIGKILL'), this.#server.kill()]);
    await Promise.all([this.#store.close(), this.#receiver.close()]);
  }

  /** A line as a person would type it here: with this store's addresses, and with what the line says only as an example. */
  actual(line: string): string {
    return line
      .replaceAll('s3://', `${this.#namespace}/`)
      .replaceAll(/\b[0-9a-f]{64}\b/g, this.#facts.commitId)
      .replaceAll('AKIAIOSFODNN7EXAMPLE', this.#facts.accessKeyId)
      .replaceAll('i9v2k0lpocvs73ftd7u0', this.#facts.runId)
      .replaceAll('coddo7tpocvs73ftd7u0', this.#facts.pullId);
  }

  /** One value of the file of `cli`. */
  setting(name: string): string {
    return this.#server.setting(name);
  }

  /** A place of the store that no earlier repository has used. */
  get #namespace(): string {
    return `${this.#store.namespace}/round-${this.#round}`;
  }

  /** Makes the world as new where a request may have changed it. @returns a fresh folder with the files that examples name. */
  async reset(): Promise<string> {
    if (this.#server.changes !== this.#changesAtReset) await this.#renew();
    this.#changesAtReset = this.#server.changes;
    return this.#fillFolder();
  }

  async #renew(): Promise<void> {
    const api = this.#api;
    this.#round++;
    await Promise.all([
      this.restoreInto('create').then(() => this.protect(['stable_*'])),
      ...toBeMade.repositories.map(name => ignoringMissing(api.deleteRepository({ repository: name }))),
      ...others.map(name => this.#ensureRepository(name)),
      this.#resetUsers(),
    ]);
  }

  async #fillFolder(): Promise<string> {
    const cwd = await mkdtemp(join(this.#home, 'folder-'));
    const script = { mode: 0o755 };
    await writeFiles(cwd, [
      ['a.png', 'a'],
      ['images/c.png', 'c'],
      ['images/d/e.png', 'e'],
      ['policy.json', JSON.stringify({ statement })],
      ['paths.txt', 'images/a.png\nimages/b.png\n'],
      ['release.srv', 'use srv://example-repo/main\ntag create $1 main\n'],
      ['clean-up.srv', 'branch delete --yes srv://example-repo/dev\ntag delete --yes srv://example-repo/v1\n'],
      ['manifest.json', JSON.stringify(this.#manifest)],
      ['check.yaml', this.#actionFile],
    ]);
    this.#metarangeFile ??= await this.#metarange();
    await writeFile(join(cwd, '56569996e174'), this.#metarangeFile);
    await writeFile(join(cwd, 'test.sh'), '#!/bin/sh\ntest -n "$1"\n', script);
    await copyFile(join(this.#home, 'srv', 'cli.yaml'), join(cwd, '.cli-under-test.yaml'));
    return cwd;
  }

  /** The example repository as at the beginning, or bare, to be filled. */
  async restoreInto(state: 'create' | 'bare'): Promise<void> {
    const api = this.#api;
    await ignoringMissing(api.deleteRepository({ repository }));
    await api.createRepository({ bare: true, body: { name: repository, storage_namespace: this.#mainNamespace, default_branch: 'main' } });
    if (state === 'bare' || !this.#manifest) return;
    const { id } = await api.restoreSubmit({ repository, body: this.#manifest });
    await untilDone(() => api.restoreStatus({ repository, task_id: id }));
  }

  /** An uncommitted change. */
  async change(name: string, branch: string): Promise<void> {
    await this.#api.uploadObject({ repository: name, branch, path: 'images/changed.png', body: Buffer.from('changed') });
  }

  /** A table with the snapshot that examples name. */
  async addTable(): Promise<void> {
    const authorization = `Basic ${btoa(`${this.setting('access_key_id')}:${this.setting('secret_access_key')}`)}`;
    const send = async (path: string, body: string): Promise<void> => {
      const url = `${this.setting('endpoint_url')}/iceberg/relative_to/${repository}.main/api/v1/namespaces${path}`;
      const response = await fetch(url, { method: 'POST', headers: { authorization }, body });
      assert.equal(response.status, 200, await response.text());
    };
    const snapshot = `"snapshot-id":4642566679952208809`;
    const updates =
      `{"action":"add-snapshot","snapshot":{${snapshot},"timestamp-ms":1,"manifests":[]}},` +
      `{"action":"set-snapshot-ref","ref-name":"main","type":"branch",${snapshot}}`;
    const columns = '{"type":"struct","fields":[{"id":1,"name":"id","required":true,"type":"long"}]}';
    await send('', '{"namespace":["sales"]}');
    await send('/sales/tables', `{"name":"books","schema":${columns},"properties":{"format-version":"1"}}`);
    await send('/sales/tables/books', `{"requirements":[],"updates":[${updates}]}`);
  }

  get #actionFile(): string {
    return `name: check\non:\n  pre-commit:\nhooks:\n  - id: ask\n    type: webhook\n    properties: { url: "${this.#receiver.url}" }\n`;
  }

  /** A run of actions, for examples that show one. */
  async runActions(cwd: string): Promise<void> {
    const body = Buffer.from(this.#actionFile);
    await this.#api.uploadObject({ repository, branch: 'main', path: '_srv_actions/check.yaml', body });
    await this.#api.commit({ repository, branch: 'main', body: { message: 'with a check' } });
    const { stdout } = await this.run(`cli actions runs list srv://${repository} -o json`, { cwd });
    const [run] = JSON.parse(stdout) as { readonly run_id: string }[];
    this.#facts = { ...this.#facts, runId: run?.run_id ?? assert.fail('no run of actions') };
  }

  /** A pull request of another user. */
  async openPull(): Promise<void> {
    const api = this.#api;
    const userId = 'author';
    await ignoringMissing(api.deleteUser({ userId }));
    await api.createUser({ body: { id: userId } });
    await api.addGroupMembership({ groupId: 'Admins', userId });
    const key = await api.createCredentials({ userId });
    const answer = await fetch(`${api.endpoint.href}/repositories/${repository}/pulls`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key.access_key_id}:${key.secret_access_key}`)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Add feature', source_branch: 'feature', destination_branch: 'main' }),
    });
    const { id = '' } = (await answer.json()) as { readonly id?: string };
    this.#facts = { ...this.#facts, pullId: id };
  }

  /** Objects of the store that belong to no repository. */
  async storeOutside(folder: string): Promise<void> {
    const { api, bucket, branch, prefix } = this.#storeClient();
    for (const name of ['1', '2'])
      await api.uploadObject({
        repository: bucket,
        branch,
        path: `${prefix}round-${this.#round}/${folder}${name}`,
        body: Buffer.from(name),
      });
    api.close();
  }

  async protect(patterns: readonly string[]): Promise<void> {
    const [user, password] = [this.#server.setting('access_key_id'), this.#server.setting('secret_access_key')];
    // Without the plugin that offers these rules, its examples are not there either.
    const answer = await fetch(`${this.#api.endpoint.href}/repositories/${repository}/settings/branch_protection`, {
      method: 'PUT',
      headers: { authorization: `Basic ${btoa(`${user}:${password}`)}`, 'content-type': 'application/json' },
      body: JSON.stringify(patterns.map(pattern => ({ pattern }))),
    });
    assert.ok(answer.ok || answer.status === 404, await answer.text());
  }

  /** Runs a line of a shell, with `cli` and `srv` on its path. */
  async run(line: string, { cwd, input = '', env = {}, shell = 'bash', attend }: ShellLine): Promise<Ended> {
    const file = line.includes('auth groups acl') ? join(this.#aclServer.cli.home, 'srv', 'cli.yaml') : join(cwd, '.cli-under-test.yaml');
    const own = { HOME: cwd, CLI_CONFIG_FILE: file, PATH: `${join(this.#home, 'bin')}:${process.env.PATH ?? ''}` };
    const options = shell === 'bash' ? ['-o', 'pipefail', '-c'] : ['-c'];
    const child = spawn(shell, [...options, line], { cwd, env: { ...inherited(), ...own, ...env }, stdio: 'pipe' });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    if (attend) child.stderr.on('data', (shown: Buffer) => void attend(shown.toString()));
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve, reject) => {
        child.once('error', reject).once('close', resolve);
      }),
    ]);
    return { code, stdout, stderr };
  }

  /** Does on the page what a person does whom `cli login` sent there. */
  async allowLogin(shown: string): Promise<void> {
    const request = /[?&]request=([^&\s]+)/.exec(shown)?.[1];
    if (request !== undefined) await this.#api.releaseTokenToMailbox({ loginRequestToken: request });
  }

  async #begin(): Promise<void> {
    await this.#writePrograms();
    const api = this.#api;
    await this.#ensureRepository(repository);
    this.#mainNamespace = (await api.getRepository({ repository })).storage_namespace;
    const put = (branch: string, path: string) => api.uploadObject({ repository, branch, path, body: Buffer.from(path) });
    const commit = (branch: string, message: string) => api.commit({ repository, branch, body: { message } });
    for (const path of ['images/a.png', 'images/b.png']) await put('main', path);
    await commit('main', 'images');
    await api.createTag({ repository, body: { id: 'v1', ref: 'main' } });
    for (let n = 1; n <= 5; n++) {
      await put('main', `notes/${n}.txt`);
      this.#facts = { ...this.#facts, commitId: (await commit('main', `note ${n}`)).id };
    }
    for (const branch of ['example-branch', 'dev', 'feature', 'example-ref']) {
      await api.createBranch({ repository, body: { name: branch, source: 'main' } });
      if (branch === 'example-branch') continue;
      await put(branch, `${branch}.txt`);
      await commit(branch, `on ${branch}`);
    }
    const { id } = await api.dumpSubmit({ repository });
    this.#manifest = (await untilDone(() => api.dumpStatus({ repository, task_id: id }))).refs;
    const { api: acl, close } = clientOf(this.#aclServer.cli);
    await acl.createGroup({ body: { id: 'Reviewers' } });
    close();
  }

  async #writePrograms(): Promise<void> {
    const bin = join(this.#home, 'bin');
    await mkdir(bin);
    const program = (name: string, lines: string) => writeFile(join(bin, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
    await program('cli', `exec '${process.execPath}' '${cliProgram}' "$@"`);
    await program('srv', `exec '${process.execPath}' '${join(repositoryRoot, 'cli', 'bin', 'srv.js')}' "$@"`);
    // Draws what \`log --dot\` prints; it need not be installed here.
    await program('dot', 'grep -q "^digraph"');
  }

  async #ensureRepository(name: string): Promise<void> {
    const storage_namespace = `${this.#namespace}/${name}`;
    await this.#api.createRepository({ body: { name, storage_namespace, default_branch: 'main' } }).catch((error: { status?: number }) => {
      if (error.status !== 409) throw error;
    });
  }

  async #resetUsers(): Promise<void> {
    const api = this.#api;
    await Promise.all([
      ...[...toBeMade.users, 'bob', 'eve'].map(userId => ignoringMissing(api.deleteUser({ userId }))),
      ...[...toBeMade.groups, 'Reviewers'].map(groupId => ignoringMissing(api.deleteGroup({ groupId }))),
      ...[...toBeMade.policies, 'OldPolicy'].map(policyId => ignoringMissing(api.deletePolicy({ policyId }))),
    ]);
    await Promise.all([
      ...['bob', 'eve'].map(id => api.createUser({ body: { id } })),
      api.createGroup({ body: { id: 'Reviewers' } }),
      api.createPolicy({ body: { id: 'OldPolicy', statement: [...statement] } }),
    ]);
    await Promise.all([
      api.addGroupMembership({ groupId: 'Reviewers', userId: 'eve' }),
      api.attachPolicyToUser({ userId: 'bob', policyId: 'FSReadWriteAll' }),
      api.attachPolicyToGroup({ groupId: 'Reviewers', policyId: 'FSReadWriteAll' }),
    ]);
    this.#facts = { ...this.#facts, accessKeyId: (await api.createCredentials({ userId: 'bob' })).access_key_id };
  }

  /** The file of a metarange, from the store itself. */
  async #metarange(): Promise<Buffer> {
    const { meta_range_id: id } = await this.#api.getCommit({ repository, commitId: this.#facts.commitId });
    const { api, bucket, branch, prefix } = this.#storeClient();
    const { results } = await api.listObjects({ repository: bucket, ref: branch, prefix: `${prefix}round-0/${repository}/` });
    const path = results.find(o => o.path.endsWith(`/${id}`))?.path ?? assert.fail(`no metarange ${id}`);
    const { body } = await api.getObject({ repository: bucket, ref: branch, path });
    const bytes = await buffer(body);
    api.close();
    return bytes;
  }

  /** The store is a server of the same kind: its bucket is a repository there, its keys begin with a branch. */
  #storeClient() {
    const [bucket = '', branch = '', ...rest] = this.#store.namespace.slice('s3://'.length).split('/');
    const { url: endpointUrl, accessKeyId, secretAccessKey } = this.#store;
    const prefix = rest.map(part => `${part}/`).join('');
    return { api: createClient({ endpointUrl, accessKeyId, secretAccessKey }), bucket, branch, prefix };
  }
}

function clientOf(cli: CliHome) {
  const api = createClient({
    operations: authOperations,
    endpointUrl: cli.setting('endpoint_url'),
    accessKeyId: cli.setting('access_key_id'),
    secretAccessKey: cli.setting('secret_access_key'),
  });
  return { api, close: () => api.close() };
}

async function untilDone<T extends { readonly done: boolean; readonly error?: string | undefined }>(look: () => Promise<T>): Promise<T> {
  for (;;) {
    const state = await look();
    assert.ok(!state.error, state.error);
    if (state.done) return state;
    await sleep(5);
  }
}

async function ignoringMissing(work: Promise<unknown>): Promise<void> {
  await work.catch((error: { status?: number }) => {
    if (error.status !== 404) throw error;
  });
}
