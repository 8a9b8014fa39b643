/** What agents can do, and what they cannot. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addUser, call, legacy, modern, startMcp } from './support/server.js';
import type { McpServer } from './support/server.js';

let server: McpServer;
let ann: Readonly<Record<string, string>>;
let bob: Readonly<Record<string, string>>;
let reader: Readonly<Record<string, string>>;
const all = [{ action: ['fs:*', 'pr:*'], resource: '*' }];
const repo = 'arn:lakefs:fs:::repository/repo';

before(async () => {
  server = await startMcp({ 'auth.ui_config.rbac': 'internal', 'mcp.max_bytes': 1000 });
  await server.engine.createRepository({ id: 'secret', storageNamespace: 'local://secret' });
  await server.engine.putObject('secret', 'main', 'x', Buffer.from('TOP SECRET'));
  [ann, bob] = [await addUser(server, 'ann', all), await addUser(server, 'bob', all)];
  reader = await addUser(server, 'reader', [
    { action: ['fs:ListRepositories', 'fs:ReadRepository', 'fs:ListBranches', 'fs:ListObjects', 'fs:CreateBranch'], resource: repo },
    { action: ['fs:CreateBranch'], resource: `${repo}/branch/*` },
    { action: ['fs:ReadObject'], resource: `${repo}/object/data/*` },
  ]);
});
after(() => server.stop());

const repository = 'repo';

test('tools say what they do to data', async () => {
  const { result } = await modern(server, 'tools/list');
  const tools = result['tools'] as {
    name: string;
    inputSchema: { type: string; required: string[] };
    annotations: { readOnlyHint: boolean; destructiveHint: boolean };
  }[];
  assert.deepEqual(
    tools.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name),
    ['list_repositories', 'list_refs', 'list_objects', 'read_object', 'log', 'diff', 'search'],
  );
  assert.deepEqual(
    tools.filter(({ annotations }) => annotations.destructiveHint).map(({ name }) => name),
    ['write_object', 'delete_objects'],
  );
  assert.ok(tools.every(({ inputSchema }) => inputSchema.type === 'object'));
});

test('reads list, page, and cut what is long', async () => {
  assert.deepEqual((await call(server, 'list_repositories', { limit: 1 })).data, {
    repositories: [{ id: 'repo', default_branch: 'main', read_only: false }],
    next: 'repo',
  });
  const { data: refs } = await call(server, 'list_refs', { repository, kind: 'branches' });
  assert.equal((refs['refs'] as { id: string }[])[0]?.id, 'main');
  const { data: listed } = await call(server, 'list_objects', { repository, ref: 'main' });
  assert.deepEqual(listed['entries'], [{ path: 'data/', type: 'folder' }]);
  const { data: read } = await call(server, 'read_object', { repository, ref: 'main', path: 'data/a.txt', offset: 1, length: 4 });
  assert.deepEqual([read['content'], read['truncated'], read['next_offset']], ['irst', true, 5]);
  await server.engine.putObject('repo', 'main', 'data/binary', Buffer.from([0, 255, 1]));
  const { data: binary } = await call(server, 'read_object', { repository, ref: 'main', path: 'data/binary' });
  assert.match(String(binary['note']), /not UTF-8/);
  assert.equal((await call(server, 'read_object', { repository, ref: 'main', path: 'data/binary', as: 'base64' })).data['content'], 'AP8B');
  const { data: log } = await call(server, 'log', { repository, ref: 'main', limit: 1 });
  assert.equal((log['commits'] as { message: string }[])[0]?.message, 'begin');
  const { data: diff } = await call(server, 'diff', { repository, left: 'main' });
  assert.deepEqual(
    [diff['changes'], diff['summary']],
    [[{ path: 'data/binary', type: 'added' }], { added: 1, changed: 0, removed: 0, conflicts: 0 }],
  );
  await server.engine.resetBranch('repo', 'main', { type: 'all' });
});

test('text is read to its end in parts of any length, which hold whole characters', async () => {
  const text = 'aé数\u{1f600}b\u{1f600}';
  await server.engine.putObject('repo', 'main', 'data/parts', Buffer.from(text));
  const part = async (path: string, offset: number, length: number) =>
    (await call(server, 'read_object', { repository, ref: 'main', path, offset, length })).data;
  for (let length = 1; length <= 6; length++) {
    let whole = '';
    for (let offset: unknown = 0, parts = 0; offset !== undefined; parts++) {
      assert.ok(parts <= text.length, `${length} ${whole}`);
      const { content, truncated, next_offset } = await part('data/parts', Number(offset), length);
      assert.ok(Buffer.byteLength(String(content)) <= length || [...String(content)].length === 1, `${length} ${String(content)}`);
      assert.equal(truncated, next_offset !== undefined);
      whole += String(content);
      offset = next_offset;
    }
    assert.equal(whole, text);
  }
  const middle = await part('data/parts', 2, 1);
  assert.match(String(middle['note']), /not UTF-8/);
  await server.engine.putObject('repo', 'main', 'data/cut', Buffer.from('a数').subarray(0, 3));
  assert.deepEqual(await part('data/cut', 0, 9).then(({ content, truncated, next_offset }) => [content, truncated, next_offset]), [
    'a',
    true,
    1,
  ]);
  const { note, content } = await part('data/cut', 1, 9);
  assert.deepEqual([/not UTF-8/.test(String(note)), content], [true, '']);
  assert.equal((await part('data/cut', 3, 9))['truncated'], false);
  await server.engine.resetBranch('repo', 'main', { type: 'all' });
});

test('an agent changes a branch of its own, and proposes to merge it', async () => {
  const { data: started } = await call(server, 'start_branch', { repository, purpose: 'fix the text' }, ann);
  const branch = String(started['branch']);
  assert.match(branch, /^mcp-ann-[0-9a-f]{8}$/);
  const place = { repository, branch };
  assert.equal((await call(server, 'write_object', { ...place, path: 'data/b.txt', text: 'new' }, ann)).data['size'], 3);
  await call(server, 'write_object', { ...place, path: 'data/c', base64: 'AP8B' }, ann);
  assert.match(
    String((await call(server, 'write_object', { ...place, path: 'data/b.txt', text: 'x', if_absent: true }, ann)).refusal),
    /exists/,
  );
  assert.deepEqual((await call(server, 'delete_objects', { ...place, paths: ['data/a.txt', 'data/missing'] }, ann)).refusal, undefined);
  const { data: changes } = await call(server, 'diff', { repository, left: branch }, ann);
  assert.deepEqual(changes['summary'], { added: 2, changed: 0, removed: 1, conflicts: 0 });
  const { data: committed } = await call(server, 'commit', { ...place, message: 'text', metadata: { by: 'agent' } }, ann);
  const commit = await server.engine.getCommit('repo', String(committed['commit_id']));
  assert.deepEqual([commit.committer, commit.message, commit.metadata], ['ann', 'text', { by: 'agent' }]);
  const { data: proposed } = await call(server, 'propose_merge', { ...place, into: 'main', title: 'New text' }, ann);
  assert.deepEqual(proposed['summary'], { added: 2, changed: 0, removed: 1, conflicts: 0 });
  assert.ok((proposed['pull_request'] as { id: string }).id);
  assert.ok((await call(server, 'revert', { ...place, ref: String(committed['commit_id']) }, ann)).data['commit_id']);
  assert.equal((await server.engine.getEntry('repo', branch, 'data/a.txt')).size, 10);
  assert.match(String((await call(server, 'commit', { ...place, message: 'nothing' }, ann)).refusal), /nothing to commit/);
});

test('branches that the agent did not start cannot be written', async () => {
  const { data } = await call(server, 'start_branch', { repository }, ann);
  const branch = String(data['branch']);
  await server.engine.createBranch('repo', 'by-hand', 'main');
  for (const [place, user] of [
    ['main', ann],
    ['by-hand', ann],
    [branch, bob],
    ['missing', ann],
  ] as const) {
    for (const [tool, args] of [
      ['write_object', { path: 'x', text: 'x' }],
      ['delete_objects', { paths: ['data/a.txt'] }],
      ['commit', { message: 'x' }],
      ['revert', { ref: 'main' }],
      ['propose_merge', { into: 'main', title: 'x' }],
    ] as const)
      assert.ok((await call(server, tool, { repository, branch: place, ...args }, user)).refusal, `${tool} ${place}`);
  }
  await server.engine.deleteBranch('repo', branch);
  await server.engine.createBranch('repo', branch, 'main');
  assert.match(
    String((await call(server, 'write_object', { repository, branch, path: 'x', text: 'x' }, ann)).refusal),
    /start_branch/,
    'another branch of the same name',
  );
  assert.deepEqual((await server.engine.diffUncommitted('repo', 'main')).results, []);
});

test('arguments are checked, and the refusal says what is wrong', async () => {
  for (const [tool, args, problem] of [
    ['list_objects', { repository }, /ref is missing/],
    ['list_objects', { repository: 'UPPER', ref: 'main' }, /not allowed/],
    ['list_objects', { repository, ref: 'main', limit: 0 }, /integer from 1 to 1000/],
    ['list_objects', { repository, ref: 'main', other: 1 }, /no argument other/],
    ['list_refs', { repository, kind: 'commits' }, /branches, tags/],
    ['read_object', { repository, ref: 'main', path: 'missing' }, /not found/],
    ['read_object', { repository, ref: 'main', path: 'data/a.txt', offset: 99 }, /10 bytes/],
    ['delete_objects', { repository, branch: 'x', paths: [] }, /list of 1 to 100/],
    ['start_branch', { repository, source: 'missing' }, /not found/],
  ] as const)
    assert.match(String((await call(server, tool, args)).refusal), problem, tool);
  const { data } = await call(server, 'start_branch', { repository });
  const place = { repository, branch: String(data['branch']), path: 'x' };
  assert.match(String((await call(server, 'write_object', { ...place, text: 'x'.repeat(1001) })).refusal), /at most 1000/);
  assert.match(String((await call(server, 'write_object', { ...place })).refusal), /either text or base64/);
  for (const path of ['/x', 'x/', 'a//b', '../x', 'a/./b', 'a\0b', 'a\nb', 'a\u0085b'])
    assert.match(String((await call(server, 'write_object', { ...place, path, text: 'x' })).refusal), /write it without them/, path);
  assert.match(String((await call(server, 'write_object', { ...place, base64: '%' })).refusal), /not valid base64/);
});

test('texts with half of a character are refused: another one would be stored', async () => {
  const { data } = await call(server, 'start_branch', { repository }, ann);
  const branch = data['branch'];
  for (const args of [
    { path: 'half\ud800', text: 'x' },
    { path: 'half', text: '\udc00' },
  ]) {
    const { refusal } = await call(server, 'write_object', { repository, branch, ...args }, ann);
    assert.match(refusal ?? '', /holds half of a character/);
  }
  const { refusal } = await call(server, 'delete_objects', { repository, branch, paths: ['a', '\ud800'] }, ann);
  assert.match(refusal ?? '', /the argument paths holds half of a character/);
  assert.equal(
    (await call(server, 'write_object', { repository, branch, path: 'whole\u{1f600}', text: '\u{1f600}' }, ann)).refusal,
    undefined,
  );
});

test('rights are those of the user', async () => {
  assert.deepEqual((await call(server, 'list_repositories', {}, reader)).data['repositories'], [
    { id: 'repo', default_branch: 'main', read_only: false },
  ]);
  assert.equal((await call(server, 'read_object', { repository, ref: 'main', path: 'data/a.txt' }, reader)).data['content'], 'first text');
  for (const [tool, args] of [
    ['read_object', { repository: 'secret', ref: 'main', path: 'x' }],
    ['list_objects', { repository: 'secret', ref: 'main' }],
    ['list_refs', { repository: 'secret', kind: 'branches' }],
    ['list_refs', { repository, kind: 'tags' }],
    ['log', { repository, ref: 'main' }],
    ['diff', { repository: 'secret', left: 'main' }],
    ['start_branch', { repository: 'secret' }],
  ] as const)
    assert.match(String((await call(server, tool, args, reader)).refusal), /insufficient permissions/, tool);
  const { data } = await call(server, 'start_branch', { repository }, reader);
  const place = { repository, branch: String(data['branch']) };
  for (const [tool, args] of [
    ['write_object', { path: 'data/x', text: 'x' }],
    ['delete_objects', { paths: ['data/a.txt'] }],
    ['commit', { message: 'x' }],
    ['revert', { ref: 'main' }],
    ['propose_merge', { into: 'main', title: 'x' }],
  ] as const)
    assert.match(String((await call(server, tool, { ...place, ...args }, reader)).refusal), /insufficient permissions/, tool);
  assert.equal((await modern(server, 'resources/read', { uri: 'srv://secret/main/x' }, reader)).error?.code, -32602);
});

test('a client can switch writes off for itself', async () => {
  const wish = { 'x-mcp-readonly': 'true' };
  const { result } = await modern(server, 'tools/list', {}, wish);
  assert.equal((result['tools'] as unknown[]).length, 7);
  assert.equal((await modern(server, 'tools/call', { name: 'start_branch', arguments: { repository } }, wish)).error?.code, -32602);
});

test('resources are listed, read, and completed', async () => {
  const { result } = await modern(server, 'resources/list');
  assert.deepEqual(
    (result['resources'] as { uri: string }[]).map(({ uri }) => uri),
    ['srv://repo', 'srv://secret'],
  );
  const { result: templates } = await legacy(server, 'resources/templates/list');
  assert.equal((templates['resourceTemplates'] as { uriTemplate: string }[])[0]?.uriTemplate, 'srv://{repository}/{ref}/{+path}');
  const read = async (uri: string) => ((await modern(server, 'resources/read', { uri })).result['contents'] as Record<string, string>[])[0];
  assert.equal((await read('srv://repo/main/data/a.txt'))?.['text'], 'first text');
  assert.match(String((await read('srv://repo'))?.['text']), /"default_branch":"main"/);
  await server.engine.putObject('repo', 'main', 'large', Buffer.alloc(1_100_000));
  await server.engine.putObject('repo', 'main', 'binary', Buffer.from([255, 0]));
  assert.equal((await read('srv://repo/main/binary'))?.['blob'], '/wA=');
  assert.match(String((await modern(server, 'resources/read', { uri: 'srv://repo/main/large' })).error?.message), /read_object/);
  await server.engine.resetBranch('repo', 'main', { type: 'all' });
  const complete = async (name: string, value: string, args: Record<string, string> = {}, headers = {}) =>
    (
      (
        await modern(
          server,
          'completion/complete',
          {
            ref: { type: 'ref/resource', uri: 'srv://{repository}/{ref}/{+path}' },
            argument: { name, value },
            context: { arguments: args },
          },
          headers,
        )
      ).result['completion'] as { values: string[] }
    ).values;
  assert.deepEqual(await complete('repository', 're'), ['repo']);
  assert.deepEqual(await complete('ref', 'ma', { repository }), ['main']);
  assert.deepEqual(await complete('path', 'data/', { repository, ref: 'main' }), ['data/a.txt']);
  assert.deepEqual(await complete('path', '', { repository: 'secret', ref: 'main' }, reader), []);
});

test('every call is counted, with what it is about and without content', async () => {
  const seen: unknown[] = [];
  server.kernel.hooks.activity.tap(
    'test',
    ({ class: group, name, repository: about, ref, user }) => void (group === 'mcp' && seen.push([name, about, ref, user])),
  );
  await call(server, 'list_objects', { repository, ref: 'main' }, ann);
  assert.deepEqual(seen, [['list_objects', 'repo', 'main', 'ann']]);
});

test('prompts are listed, filled in, and their arguments completed', async () => {
  for (const ask of [modern, legacy]) {
    const { prompts } = (await ask(server, 'prompts/list')).result as { prompts: { name: string; arguments: { name: string }[] }[] };
    assert.deepEqual(
      prompts.map(({ name, arguments: given }) => [name, given.map(argument => argument.name)]),
      [
        ['explain_changes', ['repository', 'from', 'to']],
        ['review_branch', ['repository', 'branch', 'into']],
      ],
    );
    const get = (name: string, args: object) => ask(server, 'prompts/get', { name, arguments: args });
    const { messages } = (await get('explain_changes', { repository: 'repo', from: 'v1', to: 'main' })).result as {
      messages: { role: string; content: { text: string } }[];
    };
    assert.deepEqual([messages.length, messages[0]?.role], [1, 'user']);
    assert.match(messages[0]?.content.text ?? '', /^Explain what changed in the repository repo from v1 to main\./);
    assert.match(JSON.stringify((await get('review_branch', { repository: 'repo', branch: 'dev' })).result), /into the default branch/);
    for (const [name, args, message] of [
      ['other', {}, /there is no prompt other/],
      ['constructor', {}, /there is no prompt/],
      ['explain_changes', { repository: 'repo', from: 'v1' }, /argument to of explain_changes/],
      ['explain_changes', { repository: 'repo', from: 7, to: 'main' }, /argument from/],
      ['explain_changes', { repository: 'x'.repeat(2000), from: 'a', to: 'b' }, /argument repository/],
      ['review_branch', [], /arguments is not an object/],
    ] as const) {
      const { error } = await get(name, args);
      assert.deepEqual([error?.code, message.test(error?.message ?? '')], [-32_602, true], `${name} ${JSON.stringify(args)}`);
    }
  }
  const complete = async (name: string, argument: object, known: object = {}) =>
    modern(server, 'completion/complete', { ref: { type: 'ref/prompt', name }, argument, context: { arguments: known } });
  const values = async (...args: Parameters<typeof complete>): Promise<unknown> =>
    ((await complete(...args)).result['completion'] as { values: unknown }).values;
  assert.deepEqual(await values('explain_changes', { name: 'repository', value: 're' }), ['repo']);
  assert.deepEqual(await values('review_branch', { name: 'into', value: 'ma' }, { repository: 'repo' }), ['main']);
  assert.equal((await complete('explain_changes', { name: 'other', value: '' })).error?.code, -32_602);
});
