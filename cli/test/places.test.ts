/** Places: above all repositories, in a repository, in a ref, in a folder. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page, refusal } from './fake-context.js';
import { shell } from './shell.js';

const object = (path: string) => ({ path, path_type: 'object', physical_address: '', checksum: '', size_bytes: 1, mtime: 0 });
const paths = ['a.png', 'images/b.png', 'images/old/c.png'];

interface ListQuery {
  readonly ref: string;
  readonly prefix?: string;
  readonly delimiter?: string;
}

/** A repository `repo` with branches `main` and `dev` and a tag `v1.0`. */
function lines() {
  const known = ['main', 'dev', 'v1.0'];
  return shell({
    listRepositories: page([{ id: 'repo' }, { id: 'other' }]),
    getRepository: ({ repository }: { repository: string }) =>
      repository === 'repo' ? {} : Promise.reject(refusal(404, 'repository not found')),
    listBranches: page([
      { id: 'main', commit_id: 'c1' },
      { id: 'dev', commit_id: 'c2' },
    ]),
    listTags: page([{ id: 'v1.0', commit_id: 'c1' }]),
    getBranch: ({ branch }: { branch: string }) =>
      branch === 'dev' ? { id: 'dev', commit_id: 'c2' } : Promise.reject(refusal(404, 'branch not found')),
    getTag: ({ tag }: { tag: string }) => (tag === 'v1.0' ? { id: tag, commit_id: 'c1' } : Promise.reject(refusal(404, 'tag not found'))),
    listObjects: ({ ref, prefix = '' }: ListQuery) =>
      known.includes(ref)
        ? page(paths.filter(path => path.startsWith(prefix)).map(object))
        : Promise.reject(refusal(404, `ref ${ref} not found`)),
  });
}

async function printed(text: string): Promise<string> {
  const { run, out, told } = lines();
  assert.equal(await run(text), 0, told.join('\n'));
  return out();
}

test('ls lists repositories at the root, refs in a repository, objects in a ref', async () => {
  const names = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map(line =>
        line
          .split(/\s+/)
          .filter((_, index, words) => index === 0 || index === words.length - 1)
          .join(' '),
      );
  assert.deepEqual(names(await printed('ls')), ['repository repo', 'repository other']);
  assert.deepEqual(names(await printed('use repo\nls')), ['branch main', 'branch dev', 'tag v1.0']);
  assert.deepEqual(names(await printed('ls srv://repo')), ['branch main', 'branch dev', 'tag v1.0']);
  assert.deepEqual(names(await printed('ls repo')), ['branch main', 'branch dev', 'tag v1.0']);
  assert.equal(names(await printed('use srv://repo/main\nls')).length, 3);
});

test('cd and use go down and up at every level', async () => {
  const steps: readonly [line: string, place: string][] = [
    ['cd repo', 'repo'],
    ['cd main', 'repo/main'],
    ['cd images', 'repo/main/images/'],
    ['cd old', 'repo/main/images/old/'],
    ['cd ..', 'repo/main/images/'],
    ['use dev', 'repo/dev'],
    ['use v1.0', 'repo/v1.0'],
    ['use images', 'repo/v1.0/images/'],
    ['cd /', 'repo/v1.0'],
    ['cd ..', 'repo'],
    ['use v1.0', 'repo/v1.0'],
    ['cd ..', 'repo'],
    ['cd ..', ''],
    ['use repo/main/images', 'repo/main/images/'],
    ['cd', 'repo/main'],
  ];
  const { run, session, told } = lines();
  for (const [line, place] of steps) {
    assert.equal(await run(line), 0, `${line}: ${told.join('\n')}`);
    assert.equal(String(session.place), place, line);
  }
});

test('a place that does not exist is an error, and the place stays', async () => {
  const cases: readonly [from: string, line: string, complaint: RegExp, code: number][] = [
    ['srv://repo/main', 'cd nowhere', /srv:\/\/repo\/main\/nowhere\/ does not exist/, 3],
    ['srv://repo/main', 'use v9', /srv:\/\/repo\/main\/v9\/ does not exist/, 3],
    ['srv://repo', 'cd nowhere', /ref nowhere not found/, 3],
    ['srv://repo', 'use srv://none', /repository not found/, 3],
  ];
  for (const [from, line, complaint, code] of cases) {
    const { run, session, told } = lines();
    assert.equal(await run(`use ${from}`), 0);
    const before = String(session.place);
    assert.equal(await run(line), code, line);
    assert.match(told.join('\n'), complaint);
    assert.equal(String(session.place), before);
  }
  const { run, told } = lines();
  assert.equal(await run('cd ..'), 2);
  assert.match(told.join(), /this is the top: ls lists the repositories/);
});

test('paths that a recursive listing prints are valid where they are printed', async () => {
  const shown = await printed('use srv://repo/main/images\nls -r');
  assert.deepEqual(
    shown
      .trimEnd()
      .split('\n')
      .map(line => line.split(/\s+/).at(-1)),
    ['b.png', 'old/c.png'],
  );
  const below = await printed('use srv://repo/main/images\nls -r old');
  assert.match(below, /\sold\/c\.png\n$/);
  const above = await printed('use srv://repo/main/images\nls -r /');
  assert.match(above, /\s\/a\.png\n.*\sb\.png\n/);
  const data = await printed('use srv://repo/main/images\nconsole.log((await run("ls -r")).map(o => o.path).join())');
  assert.equal(data, 'images/b.png,images/old/c.png\n');
});

test('fields complete after where, and a wrong one is named with those that exist', async () => {
  const { completer, run, told } = lines();
  assert.deepEqual(await completer.complete('ls -r | where si'), [['size_bytes'], 'si']);
  assert.equal(await run('use srv://repo/main'), 0);
  assert.equal(await run('branch list srv://repo\nbranch list srv://repo | where idd === "main"\n_'), 2);
  assert.match(told.join(), /where idd === "main": no field is called idd; the fields are id, commit_id/);
  assert.deepEqual(await completer.complete('branch list | where id === "x" && comm'), [['commit_id'], 'comm']);
});

test('refs and repositories complete where a place is expected', async () => {
  const { completer, run } = lines();
  assert.deepEqual((await completer.complete('cd re'))?.[0], ['repo']);
  assert.equal(await run('use repo'), 0);
  assert.deepEqual((await completer.complete('use '))?.[0], ['main', 'dev', 'v1.0']);
});
