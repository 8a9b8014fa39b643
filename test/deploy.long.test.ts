/** What scripts/deploy says is true of the programs, and what tools can check is checked. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { describe, it, test } from 'node:test';
import { promisify } from 'node:util';
import { parseAllDocuments, parse as parseYaml } from 'yaml';
import { launchSrv, repositoryRoot, temporaryFolder } from './programs.js';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

const run = promisify(execFile);
const deploy = join(repositoryRoot, 'scripts', 'deploy');
const read = (...path: string[]): string => readFileSync(join(deploy, ...path), 'utf8');
/** Tests with a tool that is not everywhere: where it is missing they are left out, as what it would check is checked without it. */
function withTool(command: string, ...args: readonly string[]) {
  const isThere = spawnSync(command, args, { stdio: 'ignore' }).status === 0;
  return (name: string, work: (t: TestContext) => Promise<void>): void => {
    if (isThere) void it(name, work);
  };
}

interface Key {
  readonly key: string;
  readonly default?: string;
}

/** Configuration keys that exist. */
async function keys(t: TestContext): Promise<ReadonlyMap<string, Key>> {
  const { stdout } = await launchSrv(temporaryFolder(t), ['config', 'reference', '-o', 'json']).finished;
  return new Map((JSON.parse(stdout) as Key[]).map(key => [key.key, key]));
}

const variableOf = (key: string): string => `SRV_${key.toUpperCase().replaceAll('.', '_')}`;

/** Passes for a configuration that the server accepts. */
async function assertAccepted(t: TestContext, config: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const home = temporaryFolder(t);
  const file = join(home, 'config.yaml');
  writeFileSync(file, config);
  const { code, stdout, stderr } = await launchSrv(home, ['config', 'show', '--sources', '-c', file], env).finished;
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /has no effect/);
  return stdout;
}

describe('configuration examples', () => {
  for (const file of readdirSync(join(deploy, 'config'))) it(file, async t => void (await assertAccepted(t, read('config', file))));
});

describe('container image', () => {
  const lines = read('Dockerfile')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'));
  const all = (word: string): string[] => lines.filter(line => line.startsWith(`${word} `)).map(line => line.slice(word.length + 1));

  it('is built in stages, and runs as an unprivileged user', async t => {
    const stages = all('FROM');
    assert.equal(stages.length, 2);
    const last = lines.slice(lines.findLastIndex(line => line.startsWith('FROM ')));
    assert.ok(!last.some(line => /npm|apt-get/.test(line)), 'nothing is built where it runs');
    assert.ok(all('USER').every(user => /^[1-9]\d*:[1-9]\d*$/.test(user)) && last.some(line => line.startsWith('USER ')));
    assert.ok(all('STOPSIGNAL').includes('SIGTERM'));
    const port = (await keys(t)).get('listen_address')?.default?.split(':').at(-1)?.replace(/\D+$/, '');
    assert.deepEqual(all('EXPOSE'), [port]);
    for (const command of ['ENTRYPOINT', 'CMD'])
      assert.ok(
        all(command).every(text => Array.isArray(JSON.parse(text))),
        `${command} has no shell that would keep signals`,
      );
  });

  it('copies what exists, and starts programs that exist', async t => {
    for (const source of all('COPY')
      .filter(text => !text.startsWith('--from'))
      .map(text => text.split(' ')[0] ?? ''))
      assert.ok(existsSync(join(repositoryRoot, source)), source);
    const { bin } = JSON.parse(readFileSync(join(repositoryRoot, 'cli', 'package.json'), 'utf8')) as { readonly bin: object };
    const [program = ''] = JSON.parse(all('ENTRYPOINT')[0] ?? '[]') as string[];
    assert.ok(program in bin);
    const help = await launchSrv(temporaryFolder(t), [...(JSON.parse(all('CMD')[0] ?? '[]') as string[]), '--help']).finished;
    assert.equal(help.code, 0);
    const script = join(repositoryRoot, 'scripts', 'package.ts');
    assert.ok(read('Dockerfile').includes('node scripts/dist/package.js') && existsSync(script));
  });

  it('leaves out of its context what is built or secret', () => {
    const ignored = read('Dockerfile.dockerignore').split('\n');
    for (const pattern of ['.git', '**/node_modules', '**/dist']) assert.ok(ignored.includes(pattern), pattern);
  });

  it('checks its health by asking the server', async t => {
    let status = 200;
    const asked: string[] = [];
    const server = createServer(({ url = '' }, response) => {
      asked.push(url);
      response.writeHead(status).end();
    }).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await new Promise(done => server.once('listening', done));
    const { port } = server.address() as AddressInfo;
    const health = (at: number): Promise<number> =>
      run(process.execPath, [join(deploy, 'health.mjs')], { env: { SRV_LISTEN_ADDRESS: `0.0.0.0:${at}` } }).then(
        () => 0,
        (error: { code?: number }) => error.code ?? -1,
      );
    assert.equal(await health(port), 0);
    status = 503;
    assert.equal(await health(port), 1);
    assert.equal(await health(9), 1);
    assert.deepEqual(asked, ['/_health', '/_health']);
  });

  withTool(
    'docker',
    'buildx',
    'inspect',
  )('docker accepts it', async () => {
    await run('docker', ['buildx', 'build', '--check', '-f', join(deploy, 'Dockerfile'), repositoryRoot]);
  });
});

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

interface ComposeService {
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
  readonly read_only?: boolean;
}

describe('compose file', () => {
  const { services, volumes } = parseYaml(read('compose.yaml')) as Compose;
  const srv = services['srv'];
  assert.ok(srv);
  const environment = Object.fromEntries(
    Object.entries(srv.environment ?? {}).map(([name, value]) => [name, value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')]),
  );

  it('names only what it has', () => {
    assert.ok(srv.build && existsSync(resolve(deploy, srv.build.context, srv.build.dockerfile)));
    for (const [name, service] of Object.entries(services)) {
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        assert.ok(services[other], `${name} depends on ${other}`);
        if (condition === 'service_healthy') assert.ok(services[other]?.healthcheck, `${other} reports its health`);
      }
      for (const volume of service.volumes ?? []) assert.ok((volume.split(':')[0] ?? '') in volumes, volume);
    }
    assert.equal(srv.read_only, true);
  });

  it('configures the server with keys that exist, and the server accepts it', async t => {
    const known = new Set([...(await keys(t)).keys()].map(variableOf));
    for (const name of Object.keys(environment)) assert.ok(known.has(name), name);
    const shown = await assertAccepted(t, '', environment);
    assert.match(shown, /^database\.type: "postgres"/m);
    assert.match(shown, /^blockstore\.type: "s3"/m);
  });

  it('reaches the services where they listen', () => {
    const database = new URL(environment['SRV_DATABASE_POSTGRES_CONNECTION_STRING'] ?? '');
    assert.deepEqual([database.hostname in services, database.port], [true, '5432']);
    assert.equal(database.username, services['postgres']?.environment?.['POSTGRES_USER']);
    assert.equal(database.pathname, `/${services['postgres']?.environment?.['POSTGRES_DB']}`);
    const s3 = new URL(environment['SRV_BLOCKSTORE_S3_ENDPOINT'] ?? '');
    assert.ok(s3.hostname in services);
    assert.ok(JSON.stringify(services[s3.hostname]).includes(`:${s3.port}`));
    assert.ok(
      JSON.stringify(services['s3-bucket']).includes(
        `/data/${new URL(environment['SRV_BLOCKSTORE_DEFAULT_NAMESPACE_PREFIX'] ?? '').hostname}`,
      ),
    );
  });

  withTool(
    'docker',
    'compose',
    'version',
  )('docker compose accepts it', async () => {
    await run('docker', ['compose', '-f', join(deploy, 'compose.yaml'), 'config', '--quiet']);
  });
});

describe('systemd unit', () => {
  const unit = read('systemd', 'srv.service');
  const start = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(' ') ?? [];

  it('starts a program that exists, with options that exist', async t => {
    const [program = '', ...args] = start;
    const { bin } = JSON.parse(readFileSync(join(repositoryRoot, 'cli', 'package.json'), 'utf8')) as { readonly bin: object };
    assert.ok(program.split('/').at(-1) ?? '' in bin);
    const { code, stderr } = await launchSrv(temporaryFolder(t), [
      ...args.filter(arg => !arg.startsWith('/') && arg !== '--config'),
      '--help',
    ]).finished;
    assert.equal(code, 0, stderr);
    const stop = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
    assert.ok(stop > 35, 'longer than the server takes to let requests end');
  });

  withTool('systemd-analyze', '--version')('systemd accepts it', async t => {
    const folder = temporaryFolder(t);
    const file = join(folder, 'srv.service');
    // The program is not installed here, and its user does not exist.
    writeFileSync(file, unit.replace(start[0] ?? '', process.execPath).replaceAll(/^(?:User|Group|Documentation)=.*$/gm, ''));
    const { stderr } = await run('systemd-analyze', ['verify', '--man=no', file]).catch((error: { stderr: string }) => error);
    assert.doesNotMatch(stderr, /srv\.service/);
  });
});

describe('Helm chart', () => {
  const chart = join(deploy, 'helm', 'srv');
  const templates = readdirSync(join(chart, 'templates')).map(name => ({
    name,
    text: readFileSync(join(chart, 'templates', name), 'utf8'),
  }));
  const values = parseYaml(readFileSync(join(chart, 'values.yaml'), 'utf8')) as Readonly<Record<string, unknown>>;

  it('uses values that exist, and every one of them', () => {
    const used = new Set<string>();
    for (const { name, text } of templates) {
      for (const [, path = ''] of text.matchAll(/\.Values\.([\w.]+)/g)) {
        let at: unknown = values;
        for (const part of path.split('.')) {
          assert.ok(typeof at === 'object' && at !== null && part in at, `${name}: ${path} is not in values.yaml`);
          at = Reflect.get(at, part);
        }
        used.add(path.split('.')[0] ?? '');
      }
      for (const [, helper = ''] of text.matchAll(/include "([^"]+)"/g))
        assert.ok(
          templates.some(each => each.text.includes(`define "${helper}"`)),
          `${name}: no helper ${helper}`,
        );
    }
    assert.deepEqual(
      Object.keys(values).filter(name => !used.has(name)),
      [],
    );
  });

  it('configures the server with keys that exist', async t => {
    const known = new Set([...(await keys(t)).keys()].map(variableOf));
    const text = templates.map(each => each.text).join('\n');
    const variables = [...text.matchAll(/name: (SRV_\w+)/g)].map(([, name = '']) => name);
    assert.ok(variables.length >= 3);
    for (const name of variables) assert.ok(known.has(name), name);
    const secrets = { SRV_AUTH_ENCRYPT_SECRET_KEY: 'x', SRV_BLOCKSTORE_SIGNING_SECRET_KEY: 'y' };
    await assertAccepted(t, String(values['srvConfig']), secrets);
    const { stdout } = await launchSrv(temporaryFolder(t), ['--help']).finished;
    for (const [, command = ''] of text.matchAll(/-- srv (\w+)/g)) assert.match(stdout, new RegExp(`^  ${command}\\b`, 'm'));
  });

  it('agrees with the image', () => {
    const deployment = templates.find(({ name }) => name === 'deployment.yaml')?.text ?? '';
    assert.match(deployment, new RegExp(`containerPort: ${/^EXPOSE (\d+)$/m.exec(read('Dockerfile'))?.[1]}\\b`));
    assert.match(deployment, new RegExp(`runAsUser: ${/^USER (\d+)/m.exec(read('Dockerfile'))?.[1]}\\b`));
    assert.match(deployment, /mountPath: \/home\/srv\b/);
    for (const [, path = ''] of deployment.matchAll(/httpGet: \{ path: (\S+),/g)) assert.equal(path, '/_health');
  });

  const withHelm = withTool('helm', 'version');
  const secrets = ['--set', 'secrets.authEncryptSecretKey=a,secrets.blockstoreSigningSecretKey=b,secrets.databaseConnectionString=c'];
  withHelm('helm finds nothing to complain about', async () => {
    const { stdout } = await run('helm', ['lint', '--strict', chart, ...secrets]);
    assert.match(stdout, /1 chart\(s\) linted, 0 chart\(s\) failed/);
  });

  withHelm('helm renders what Kubernetes understands', async () => {
    const more = ['--set', 'replicaCount=3,ingress.enabled=true,ingress.className=nginx,extraEnvVarsSecret=more,home.existingClaim=disk'];
    const { stdout } = await run('helm', ['template', 'prod', chart, '--kube-version', '1.30.0', ...secrets, ...more]);
    const documents = parseAllDocuments(stdout).map(
      document => document.toJS() as { kind: string; metadata: { name: string }; spec?: unknown },
    );
    assert.deepEqual(documents.map(({ kind }) => kind).toSorted(), [
      'ConfigMap',
      'Deployment',
      'Ingress',
      'PodDisruptionBudget',
      'Secret',
      'Service',
      'ServiceAccount',
    ]);
    assert.deepEqual(new Set(documents.map(({ metadata }) => metadata.name)), new Set(['prod-srv']));
    const deployment = documents.find(({ kind }) => kind === 'Deployment')?.spec as {
      readonly template: {
        readonly spec: { readonly containers: readonly { readonly args: readonly string[]; readonly env: readonly object[] }[] };
      };
    };
    const [container] = deployment.template.spec.containers;
    assert.deepEqual(container?.args, ['run', '--config', '/etc/srv/config.yaml']);
    assert.equal(container?.env.length, 3);
    const strategyWith = async (...settings: readonly string[]): Promise<string | undefined> => {
      const rendered = await run('helm', ['template', 'prod', chart, '--kube-version', '1.30.0', ...secrets, ...settings]);
      return /strategy:\n +type: (\w+)/.exec(rendered.stdout)?.[1];
    };
    assert.equal(await strategyWith(), undefined);
    assert.equal(await strategyWith('--set', 'home.existingClaim=disk'), 'Recreate');
    assert.equal(await strategyWith('--set-string', 'srvConfig=database: { type: local }'), 'Recreate');
    const existing = await run('helm', ['template', 'prod', chart, '--kube-version', '1.30.0', '--set', 'existingSecret=mine']);
    assert.doesNotMatch(existing.stdout, /kind: Secret/);
    await assert.rejects(run('helm', ['template', 'prod', chart, '--kube-version', '1.30.0']), /set a long random text/);
  });
});

test('the README names files that exist', () => {
  for (const [, path = ''] of read('README.md').matchAll(/\]\((?!http)([^)#]+)\)/g)) assert.ok(existsSync(resolve(deploy, path)), path);
});
