/** What a newcomer does on the first day, through the real programs and with real files, whatever the servers store it in. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checksums, filesBelow, sha256, writeFiles } from './file-tree.js';
import { temporaryFolder } from './programs.js';
import type { Checksums } from './file-tree.js';
import type { CliHome } from './programs.js';

interface Commit {
  readonly id: string;
  readonly message: string;
  readonly parents: readonly string[];
}

interface Difference {
  readonly type: string;
  readonly path: string;
}

const repository = 'srv://first';
const main = `${repository}/main`;
const dev = `${repository}/dev`;
/** One file that both branches change. */
const disputed = 'disputed.txt';

/** Servers, and the `cli` of their first administrator. */
interface Site extends CliHome {
  /** Everything the servers printed. */
  readonly printed: string;
  /** Stops the servers as a person would, and starts them again. */
  restart(): Promise<Site>;
  kill(): Promise<unknown>;
}

interface FirstDay {
  readonly title: string;
  /** Storage namespace of the repository. */
  readonly namespace: () => string;
  readonly start: (home: string) => Promise<Site>;
  /** Fills a folder with the files of that day. */
  readonly fill: (folder: string) => Promise<void>;
  /** Files it makes at least. */
  readonly fileCount: number;
  /** The first run made up credentials and showed them. */
  readonly showsCredentials: boolean;
}

/** Registers the story with `node:test`. */
export function firstDay({ title, namespace, start, fill, fileCount, showsCredentials }: FirstDay): void {
  describe(title, () => {
    const folder = temporaryFolder({ after });
    const tree = join(folder, 'tree');
    let server: Site;
    /** Files that the second branch gets; the first gets two thirds as many. */
    const additions = Math.min(150, fileCount / 2);
    /** What each branch holds, kept beside the server. */
    const expected = { main: new Map() as Checksums, dev: new Map() as Checksums };

    before(async () => {
      const home = join(folder, 'home');
      await mkdir(home);
      await fill(tree);
      await writeFile(join(tree, disputed), 'as it was\n');
      server = await start(home);
    });
    after(() => server.kill());

    /** A step of the story: reported as skipped once an earlier one has failed. */
    let broken = false;
    function step(name: string, work: () => Promise<void>): void {
      it(name, async t => {
        if (broken) return t.skip('an earlier step failed');
        broken = true;
        await work();
        broken = false;
      });
    }

    let changes = 0;
    /** Uploads the files to the branch in one run and notes them. */
    async function change(branch: 'main' | 'dev', files: readonly (readonly [string, string])[]): Promise<void> {
      const source = join(folder, `changes-${++changes}`);
      await writeFiles(source, files);
      const summary = await server.run('fs', 'upload', '-r', `${repository}/${branch}/`, '-s', source);
      assert.match(summary, new RegExp(`Uploaded: +${files.length} files?\n`));
      for (const [path, content] of files) expected[branch].set(path, sha256(content));
    }

    /** Downloads everything at the ref and compares it with what the branch must hold. */
    async function compare(ref: string, wanted: Checksums): Promise<void> {
      const target = join(folder, `down-${ref}`);
      const summary = await server.run('fs', 'download', '-r', `${repository}/${ref}/`, target);
      assert.match(summary, new RegExp(`Downloaded: +${wanted.size} files\n`));
      assert.deepEqual(sorted(await checksums(target)), sorted(wanted));
    }

    /** Compares the names alone: quicker than a download. */
    async function compareListing(ref: string, wanted: Checksums): Promise<void> {
      const listed = (await server.json('fs', 'ls', '-r', `${repository}/${ref}/`)) as { path: string }[];
      assert.deepEqual(listed.map(({ path }) => path).sort(), [...wanted.keys()].sort());
    }

    step('a repository is created', async () => {
      const told = await server.run('repo', 'create', repository, namespace());
      assert.match(told, /Repository 'first' created:\nstorage namespace: \S+\ndefault branch: main\n/);
      assert.ok(told.includes(`storage namespace: ${namespace()}\n`), told);
    });

    step('a tree of files is uploaded and committed', async () => {
      expected.main = await checksums(tree);
      assert.ok(expected.main.size >= fileCount, `only ${expected.main.size} files`);
      const summary = await server.run('fs', 'upload', '-r', `${main}/`, '-s', tree);
      assert.match(summary, new RegExp(`Uploaded: +${expected.main.size} files\n`));
      const told = await server.run('commit', main, '-m', 'everything');
      assert.match(told, /Commit for branch "main" completed\.\n\nID: [0-9a-f]{64}\nMessage: everything\n/);
      assert.equal(await server.run('diff', main), `Ref: ${main}\n`);
    });

    step('a branch gets changes, additions and deletions', async () => {
      assert.match(await server.run('branch', 'create', dev, '-s', main), /created branch 'dev' [0-9a-f]{64}\n/);
      expected.dev = new Map(expected.main);
      const paths = await filesBelow(tree);
      const changed = paths
        .filter((path, i) => path !== disputed && i % 12 === 0)
        .map((path): [string, string] => [path, `changed ${path}\n`]);
      const added = Array.from({ length: additions }, (_, i): [string, string] => [`added/on dev/${i}.txt`, `added ${i}\n`]);
      await change('dev', [...changed, ...added]);

      const removed = largeFolder(paths);
      await server.run('fs', 'rm', '-r', `${dev}/${removed}`);
      for (const path of expected.dev.keys()) if (path.startsWith(removed)) expected.dev.delete(path);
      const single = paths.find(path => !path.startsWith(removed) && path !== disputed) ?? '';
      await server.run('fs', 'rm', `${dev}/${single}`);
      expected.dev.delete(single);
    });

    step('the uncommitted changes are shown, then committed', async () => {
      const differences = (await server.json('diff', dev)) as Difference[];
      const wanted = differencesBetween(expected.main, expected.dev);
      assert.ok(wanted.length > fileCount / 10, `only ${wanted.length} differences`);
      assert.deepEqual(
        differences.map(({ type, path }) => ({ type, path })),
        wanted,
      );
      const text = await server.run('diff', dev);
      const signs = { added: '+ added', changed: '~ modified', removed: '- removed' };
      assert.equal(text, `Ref: ${dev}\n${wanted.map(({ type, path }) => `${signs[type as keyof typeof signs]} ${path}\n`).join('')}`);

      await server.run('commit', dev, '-m', 'work on dev', '--meta', 'ticket=17');
      assert.equal(await server.run('diff', dev), `Ref: ${dev}\n`);
      assert.deepEqual(
        ((await server.json('diff', main, dev)) as Difference[]).map(({ type, path }) => ({ type, path })),
        wanted,
      );
    });

    step('other work on main merges without conflict', async () => {
      const added = Array.from({ length: (additions * 2) / 3 }, (_, i): [string, string] => [`added/on main/${i}.txt`, `main ${i}\n`]);
      await change('main', added);
      await server.run('commit', main, '-m', 'work on main');
      const told = await server.run('merge', main, dev, '-m', 'main into dev');
      assert.match(told, /Merged "main" into "dev" to get "[0-9a-f]{64}"\.\n/);
      for (const [path, content] of added) expected.dev.set(path, sha256(content));
      await compareListing('dev', expected.dev);
    });

    step('a conflict fails the merge and changes nothing', async () => {
      await change('main', [[disputed, 'as main says\n']]);
      await server.run('commit', main, '-m', 'main decides');
      await change('dev', [[disputed, 'as dev says\n']]);
      await server.run('commit', dev, '-m', 'dev decides');
      const head = await headOf('main');
      const complaint = await server.fails('merge', dev, main, '-m', 'too early');
      assert.match(complaint, new RegExp(`conflict ${disputed}\n`));
      assert.match(complaint, /Conflict found/);
      assert.equal(await headOf('main'), head);
      assert.equal(await server.run('fs', 'cat', `${main}/${disputed}`), 'as main says\n');
    });

    step('each strategy settles the conflict its way', async () => {
      const settled = { 'dest-wins': 'as main says\n', 'source-wins': 'as dev says\n' };
      for (const [strategy, content] of Object.entries(settled)) {
        const copy = `${repository}/${strategy}`;
        await server.run('branch', 'create', copy, '-s', main);
        await server.run('merge', dev, copy, '--strategy', strategy, '-m', strategy);
        assert.equal(await server.run('fs', 'cat', `${copy}/${disputed}`), content);
        await compareListing(strategy, expected.dev);
      }
    });

    step('the tag and the branch give back what was put in, to the byte', async () => {
      await server.run('merge', dev, main, '--strategy', 'source-wins', '-m', 'dev into main');
      expected.main = new Map(expected.dev);
      await server.run('tag', 'create', `${repository}/v1`, main);
      await change('main', [['after the tag.txt', 'later\n']]);
      await compare('v1', expected.dev);
      await compare('main', expected.main);
    });

    step('the log shows the history', async () => {
      const commits = (await server.json('log', `${repository}/v1`)) as Commit[];
      const story = [
        'dev into main',
        'dev decides',
        'main decides',
        'main into dev',
        'work on main',
        'work on dev',
        'everything',
        'Repository created',
      ];
      assert.deepEqual(commits.map(({ message }) => message).sort(), [...story].sort());
      const [merge] = commits;
      assert.equal(merge?.message, 'dev into main');
      const parents = merge?.parents.map(parent => commits.find(({ id }) => id === parent)?.message);
      assert.deepEqual(parents, ['main decides', 'dev decides']);
      assert.match(await server.run('log', dev), /ticket += 17\n/);
    });

    step('the next run finds everything and shows no credentials', async () => {
      if (showsCredentials) assert.match(server.printed, /Secret access key/);
      server = await server.restart();
      assert.doesNotMatch(server.printed, /Secret access key/);
      assert.ok(!server.printed.includes(server.setting('secret_access_key')), 'the secret is printed');
      await compareListing('v1', expected.dev);
      assert.equal(await server.run('fs', 'cat', `${repository}/v1/${disputed}`), 'as dev says\n');
    });

    async function headOf(branch: string): Promise<string> {
      return ((await server.json('branch', 'show', `${repository}/${branch}`)) as { commit_id: string }).commit_id;
    }
  });
}

const sorted = (sums: Checksums): [string, string][] => [...sums].sort(([a], [b]) => (a < b ? -1 : 1));

/** In the order of UTF-8 bytes, as listings and differences come. */
function differencesBetween(before: Checksums, later: Checksums): Difference[] {
  return [...new Set([...before.keys(), ...later.keys()])]
    .filter(path => before.get(path) !== later.get(path))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(path => ({ type: !before.has(path) ? 'added' : later.has(path) ? 'changed' : 'removed', path }));
}

/** The folder nearest to 200 files, with a trailing slash. */
function largeFolder(paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const path of paths) {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const prefix = path.slice(0, at + 1);
      counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
  }
  const [nearest] = [...counts].sort(([, a], [, b]) => Math.abs(a - 200) - Math.abs(b - 200));
  return nearest?.[0] ?? '';
}
