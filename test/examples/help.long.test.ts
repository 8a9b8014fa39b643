/** Every command has an example in its help, and every example does what a person expects of it: it works. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadCommands } from '@srv/cli/dist/src/run.js';
import { noGateway } from '@srv/test-servers/s3';
import { temporaryFolder } from '../programs.js';
import { ExampleWorld } from './world.js';
import type { ShellLine } from './world.js';

type Command = (typeof commands)[number];

const commands = (await loadCommands()).list().map(({ command }) => command);

const retentionRules = JSON.stringify({ default_retention_days: 14, branches: [] });

/** What must be so before the examples of a command make sense, by the beginning of its name. */
const preparations: readonly (readonly [name: string, prepare: (world: ExampleWorld, cwd: string) => Promise<unknown>])[] = [
  ['commit', world => world.change('example-repo', 'main')],
  [
    'diff rows',
    async (world, cwd) => {
      await writeFile(join(cwd, 'cities.csv'), 'id,name\n1,Oslo\n');
      for (const branch of ['main', 'example-branch'])
        await must(world, cwd, `cli fs upload -s cities.csv srv://example-repo/${branch}/tables/cities.csv`);
    },
  ],
  ['branch undelete', (world, cwd) => lose(world, cwd)],
  ...['approve', 'checks', 'close', 'comment', 'merge', 'reviewers', 'show'].map(
    word => [`pr ${word}`, (world: ExampleWorld) => world.openPull()] as const,
  ),
  ['pr approve', (world, cwd) => must(world, cwd, world.actual('cli pr approve srv://example-repo coddo7tpocvs73ftd7u0'))],
  [
    'pr checks',
    async (world, cwd) => {
      await writeFile(join(cwd, 'merge.yaml'), (await readFile(join(cwd, 'check.yaml'), 'utf8')).replace('pre-commit', 'pre-merge'));
      await must(world, cwd, 'cli fs upload -s merge.yaml srv://example-repo/feature/_srv_actions/merge.yaml');
      await must(world, cwd, 'cli commit srv://example-repo/feature -m check');
    },
  ],
  ['pr settings', world => world.protect(['main', 'release*'])],
  ['search', (world, cwd) => must(world, cwd, 'cli search enable srv://example-repo main')],
  ['iceberg ', world => world.addTable()],
  ['import', world => world.storeOutside('bucket/production/')],
  ['fs stage', world => world.storeOutside('bucket/production/')],
  ['actions runs', (world, cwd) => world.runActions(cwd)],
  ['cat-hook-output', (world, cwd) => world.runActions(cwd)],
  ['branch-protect add', world => world.protect([])],
  ['bisect ', (world, cwd) => must(world, cwd, 'cli bisect start srv://example-repo/main srv://example-repo/v1')],
  ['local ', (_world, cwd) => rm(join(cwd, 'images'), { recursive: true })],
  ...['checkout', 'commit', 'list', 'pull', 'status'].map(
    word =>
      [
        `local ${word}`,
        (world: ExampleWorld, cwd: string) => must(world, cwd, 'cli local clone srv://example-repo/main/images/ images'),
      ] as const,
  ),
  ['local commit', (_world, cwd) => writeFile(join(cwd, 'images', 'new.png'), 'new')],
  ['gc set-config', (_world, cwd) => writeFile(join(cwd, 'rules.json'), retentionRules)],
  ...['get-config', 'delete-config'].map(
    word =>
      [
        `gc ${word}`,
        async (world: ExampleWorld, cwd: string) => {
          await writeFile(join(cwd, 'rules.json'), retentionRules);
          await must(world, cwd, 'cli gc set-config srv://example-repo -f rules.json');
        },
      ] as const,
  ),
  ...['status', 'list', 'show'].map(
    word => [`gc ${word}`, (world: ExampleWorld, cwd: string) => must(world, cwd, 'cli gc run srv://example-repo --mark-only')] as const,
  ),
  ['gc restore', (world, cwd) => must(world, cwd, 'cli gc run srv://example-repo --quarantine 1')],
  [
    'gc purge',
    async (world, cwd) => {
      await must(world, cwd, world.actual('cli repo create srv://purged-repo s3://bucket/purged-repo'));
      await must(world, cwd, 'cli repo delete srv://purged-repo --yes');
    },
  ],
  ['lifecycle set', (_world, cwd) => writeFile(join(cwd, 'lifecycle.json'), '{"rules": []}')],
  ['refs-restore', world => world.restoreInto('bare')],
];

/**
 * What needs servers or settings that the tests of its package have: a metastore, another catalog, a mail server, principals of a cloud, an engine.
 * Here its examples are read, and get as far as finding none of that.
 */
const elsewhere = ['metastore ', 'sql', 'iceberg pull', 'iceberg push', 'auth users invite', 'auth password ', 'auth users aws-iam '];
const misread = /unknown (?:shorthand )?(?:flag|command)|required flag|flag needs an argument|invalid argument|accepts .* arg\(s\)/;

/** What a person would type while the command runs. */
const typed: Readonly<Record<string, string>> = {
  config: 'AKIAJVHTOKZWGCD2QQYQ\nsecret\nhttp://localhost:8000\n',
};

/** What a person would do elsewhere when the command asks for it on standard error. */
const attended: Readonly<Record<string, (world: ExampleWorld, shown: string) => Promise<void>>> = {
  login: (world, shown) => world.allowLogin(shown),
};

/** Without a terminal there is no prompt. */
function agreed(line: string, name: string): string {
  const asks = commands.find(c => c.name === name)?.options?.some(o => o.name === 'yes');
  return asks && !/ (-y|--yes)\b/.test(line) ? line.replace(`cli ${name}`, `cli ${name} --yes`) : line;
}

/** Lines for other shells than bash: read by those where they are installed, else only what `cli` prints for them is tried. */
function shellOf(line: string): Pick<ShellLine, 'shell'> & { readonly line: string } {
  const [command, shell] = /cli completion (zsh|fish)/.exec(line) ?? [];
  if (shell === undefined || command === undefined) return { line };
  return spawnSync(shell, ['-c', 'true']).status === 0 ? { line, shell } : { line: command };
}

/** Deletes the branch that examples restore. */
async function lose(world: ExampleWorld, cwd: string): Promise<void> {
  await must(world, cwd, 'cli branch create srv://example-repo/old -s srv://example-repo/main');
  await must(world, cwd, 'cli branch delete srv://example-repo/old --yes');
}

async function must(world: ExampleWorld, cwd: string, line: string): Promise<void> {
  const { code, stderr } = await world.run(line, { cwd });
  assert.equal(code, 0, `${line}\n${stderr}`);
}

/** Two worlds: while a program of one starts, a server of the other works. */
const worlds = [0, 1];

describe('examples of the help', { skip: noGateway, concurrency: worlds.length }, () => {
  for (const number of worlds)
    describe(`in world ${number + 1}`, { concurrency: 1 }, () => {
      const home = temporaryFolder({ after });
      let world: ExampleWorld;
      before(async () => {
        world = await ExampleWorld.open(home);
      });
      after(() => world.close());

      for (const command of commands.filter((_, i) => i % worlds.length === number))
        it(`cli ${command.name}`, () => tryExamples(world, command));
    });
});

async function tryExamples(world: ExampleWorld, { name, examples = [] }: Command): Promise<void> {
  assert.ok(examples.length > 0, `cli ${name} has no example in its help`);
  for (const example of examples) {
    assert.ok(example.includes(`cli ${name}`), `an example of cli ${name} that does not use it: ${example}`);
    const cwd = await world.reset();
    for (const [beginning, prepare] of preparations) if (name.startsWith(beginning)) await prepare(world, cwd);
    const { line, shell } = shellOf(agreed(world.actual(example), name));
    const attend = attended[name];
    const asked = attend ? { attend: (shown: string) => attend(world, shown) } : {};
    const { code, stdout, stderr } = await world.run(line, { cwd, input: typed[name] ?? '', shell: shell || undefined, ...asked });
    if (elsewhere.some(beginning => name.startsWith(beginning))) assert.doesNotMatch(stderr, misread, example);
    else assert.equal(code, 0, `${example}\n${stdout}\n${stderr}`);
  }
}
