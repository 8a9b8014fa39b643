/** Scripts on a whole server: what they read and write there, with whose rights, and what they show. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import operations from '@srv/engine/operations';
import { SrvError, messageOf } from '@srv/kernel';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { callOperation } from '../src/server/operation-call.js';
import { repository, startHookServer } from './hook.js';
import type { HookServer } from './hook.js';

describe('scripts on a server', () => {
  let srv: HookServer;
  let first: string;

  before(async () => {
    srv = await startHookServer({ config: { 'auth.ui_config.rbac': 'internal' } });
    const engine = srv.kernel.services.get('engine');
    const put = (path: string, body: string | Buffer) => engine.putObject(repository, 'main', path, Buffer.from(body));
    await put('a/1.txt', 'one');
    await put('a/2.txt', 'two');
    await put('b/binary', Buffer.from([0, 255, 200, 0]));
    first = (await engine.commit(repository, 'main', { committer: 'ann', message: 'first', metadata: { team: 'lakes' } })).id;
    await engine.createBranch(repository, 'dev', 'main');
    await engine.putObject(repository, 'dev', 'a/3.txt', Buffer.from('three'));
    await engine.deleteObject(repository, 'dev', 'a/1.txt');
    await engine.commit(repository, 'dev', { committer: 'ann', message: 'second' });
    await engine.putObject(repository, 'dev', 'c/4.txt', Buffer.from('four'));
  });
  after(() => srv.stop());

  const prints = async (script: string, expected: string): Promise<void> =>
    assert.deepEqual(await srv.runHook(script), { output: `${expected}\n` });
  const client = 'local lakefs = require("lakefs") local json = require("encoding/json") ';

  it('reads objects as bytes', async () => {
    await prints(`${client} print(lakefs.get_object("lakes", "main", "a/1.txt"))`, '200\tone');
    await prints(
      `${client} local code, body = lakefs.get_object("lakes", "main", "b/binary") print(code, #body, body:byte(1, 4))`,
      '200\t4\t0\t255\t200\t0',
    );
    await prints(
      `${client} local code, body = lakefs.get_object("lakes", "main", "none") print(code, json.unmarshal(body).message ~= nil)`,
      '404\ttrue',
    );
  });

  it('gives facts about an object as text', () =>
    prints(
      `${client} local code, text = lakefs.stat_object("lakes", "main", "a/1.txt") local s = json.unmarshal(text) print(code, s.path, s.size_bytes, s.path_type)`,
      '200\ta/1.txt\t3\tobject',
    ));

  it('lists objects page by page', async () => {
    await prints(
      `${client} local code, page = lakefs.list_objects("lakes", "main") print(code, #page.results, page.pagination.has_more)`,
      '200\t3\tfalse',
    );
    await prints(
      `${client} local _, page = lakefs.list_objects("lakes", "main", "", "", "/") print(page.results[1].path, page.results[1].path_type)`,
      'a/\tcommon_prefix',
    );
    await prints(
      `${client} local after, seen = "", {}
       repeat
         local code, page = lakefs.list_objects("lakes", "main", after, "a/", "", 1)
         for _, o in ipairs(page.results) do seen[#seen + 1] = o.path end
         after = page.pagination.next_offset
       until not page.pagination.has_more
       print(table.concat(seen, " "))`,
      'a/1.txt a/2.txt',
    );
    await prints(`${client} print(lakefs.list_objects("lakes", "no-such-ref"))`.replace('print(', 'print((').replace(/\)$/, '))'), '404');
  });

  it('leaves a listing that the server keeps to other callers', async () => {
    const engine = srv.kernel.services.get('engine');
    await engine.createBranch(repository, 'many', 'main');
    for (let i = 0; i < 60; i++) await engine.putObject(repository, 'many', `data/${i}.txt`, Buffer.from('x'));
    await engine.commit(repository, 'many', { committer: 'ann', message: 'many' });
    const { accessKeyId, secretAccessKey } = srv.key;
    const headers = { authorization: `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64')}` };
    const path = `/api/v1/repositories/${repository}/refs/many/objects/ls?prefix=data/&delimiter=/&amount=100`;
    const list = async () => (await fetch(srv.url + path, { headers })).text();
    const listed = await list();
    assert.ok(listed.length > 4096, 'the listing is too short to have memory of its own');
    const script = `${client} local code, page = lakefs.list_objects("lakes", "many", "", "data/", "/", 100) print(code, #page.results)`;
    await prints(script, '200\t60');
    assert.equal(await list(), listed);
    await prints(script, '200\t60');
  });

  it('compares refs and a branch with its last commit', async () => {
    await prints(
      `${client} local _, d = lakefs.diff_refs("lakes", "main", "dev") for _, c in ipairs(d.results) do print(c.type, c.path) end`,
      'removed\ta/1.txt\nadded\ta/3.txt',
    );
    await prints(
      `${client} local code, d = lakefs.diff_branch("lakes", "dev", "", 10) print(code, #d.results, d.results[1].path)`,
      '200\t1\tc/4.txt',
    );
  });

  it('creates tags and sets metadata of objects', async () => {
    await prints(
      `${client} local code, tag = lakefs.create_tag("lakes", "main", "v1") print(code, tag.id, tag.commit_id)`,
      `201\tv1\t${first}`,
    );
    await prints(`${client} print((lakefs.create_tag("lakes", "main", "v1")))`, '409');
    await prints(`${client} print((lakefs.update_object_user_metadata("lakes", "dev", "c/4.txt", {owner = "ann"})))`, '204');
    const { metadata } = await srv.kernel.services.get('engine').getEntry(repository, 'dev', 'c/4.txt');
    assert.deepEqual(metadata, { owner: 'ann' });
  });

  it('answers bad requests with their status', async () => {
    await prints(`${client} print((lakefs.get_object("lakes", "main", "")))`, '400');
    await prints(`${client} print((lakefs.get_object("nowhere", "main", "x")))`, '404');
    await prints(`${client} print(pcall(lakefs.get_object, "lakes"))`, 'false\tbad argument #2 (string expected, got nil)');
  });

  it('has the rights of the user, and no others', async () => {
    await srv.kernel.services.get('auth').createUser({ username: 'nobody' });
    const { output } = await srv.runHook(`${client} local code, body = lakefs.get_object("lakes", "main", "a/1.txt") print(code, body)`, {
      event: { user: 'nobody' },
    });
    assert.match(output, /^401\t.*insufficient permissions/);
    const nameless = await srv.runHook('print(1)', { event: { user: '' } });
    assert.deepEqual(nameless, { output: '', failure: 'user not found' });
  });

  it('loads a script from the ref of the event', async () => {
    const engine = srv.kernel.services.get('engine');
    await engine.putObject(
      repository,
      'dev',
      'scripts/check.lua',
      Buffer.from('print(action.branch_id, action.hook_id, action.commit.creation_date)'),
    );
    const found = await srv.runHook('', { properties: { script_path: 'scripts/check.lua' }, event: { sourceRef: 'dev', branch: 'dev' } });
    assert.deepEqual(found, { output: 'dev\tcheck\t0001-01-01T00:00:00Z\n' });
    const missing = await srv.runHook('', { properties: { script_path: 'scripts/check.lua' } });
    assert.deepEqual(missing, { output: '', failure: 'could not load script_path scripts/check.lua: HTTP 404: invalid action' });
  });

  it('shows what the event is about', async () => {
    const date = new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
    const commit = {
      committer: 'ann',
      message: 'm',
      metarangeId: 'mr',
      creationDate: date,
      metadata: { a: 'b' },
      parents: ['p1'],
      generation: 1,
    };
    const tables = [{ name: 'sales.books', change: 'changed' as const }];
    const { output } = await srv.runHook('print(require("encoding/json").marshal(action))', {
      event: { type: 'post-merge', commitId: 'c1', commit, mergeSource: 'dev', preRunId: 'run0', details: { tables } },
    });
    assert.deepEqual(JSON.parse(output), {
      action_name: 'good files',
      hook_id: 'check',
      run_id: 'run1',
      pre_run_id: 'run0',
      event_type: 'post-merge',
      commit_id: 'c1',
      branch_id: 'main',
      source_ref: 'main',
      tag_id: '',
      merge_source: 'dev',
      tables,
      repository_id: 'lakes',
      storage_namespace: 'local://lakes',
      commit: {
        committer: 'ann',
        creation_date: '2026-01-02T03:04:05Z',
        message: 'm',
        meta_range_id: 'mr',
        metadata: { a: 'b' },
        parents: ['p1'],
        version: 1,
      },
    });
  });

  it('fills environment variables into arguments and keeps them out of messages', async () => {
    const args = { url: 'x', token: 'Bearer {{ ENV.TOKEN }}', list: ['{{ENV.TOKEN}}'] };
    const asked = { properties: { args }, env: { TOKEN: 's3cret' } };
    assert.deepEqual(await srv.runHook('print(args.token == "Bearer s3cret", #args.list[1])', asked), { output: 'true\t6\n' });
    const { failure } = await srv.runHook('error("cannot log in with " .. args.token .. " or " .. args.list[1])', asked);
    assert.match(failure ?? '', /cannot log in with \*\*\*\*\*\*\* or \*\*\*\*\*\*\*/);
    assert.doesNotMatch(failure ?? '', /s3cret/);
    const unset = await srv.runHook('print(1)', { properties: { args: { a: { b: '{{ ENV.NONE }}' } } } });
    assert.deepEqual(unset, { output: '', failure: 'error parsing args: NONE not found: missing env var' });
  });

  it('refuses properties that make no hook', async () => {
    const refused = async (properties: Readonly<Record<string, unknown>>) => (await srv.runHook('', { properties })).failure;
    assert.equal(await refused({}), "'script' or 'script_path' must be supplied in properties");
    assert.equal(await refused({ script: '' }), "'script' or 'script_path' must be supplied: wrong value type");
    assert.equal(await refused({ script: 1 }), 'value of script is not of type string: wrong value type');
    assert.equal(await refused({ script_path: ['x'] }), 'value of script_path is not of type string: wrong value type');
    assert.equal(await refused({ script: 'x', args: [1] }), "'args' should be a map: wrong value type");
    assert.equal(await refused({ script: 'x', timeout: 'soon' }), 'timeout: "soon" is not a duration; write 90s, 10m or 1h30m');
  });

  it('stops at the time limit of the hook, and when the caller no longer waits', async () => {
    const sleep = 'require("time").sleep(60e9)';
    const late = await srv.runHook(sleep, { properties: { timeout: '300ms' } });
    assert.equal(late.failure, 'the script was stopped: it took more than 0.3 s; "timeout" of the hook can allow more');
    const leaving = new AbortController();
    const running = srv.runHook(`print("up") ${sleep}`, { signal: leaving.signal, onOutput: () => leaving.abort() });
    assert.match((await running).failure ?? '', /no request waits for the hook any longer/);
  });

  it('refuses objects larger than scripts can read', async () => {
    const parts = { services: srv.kernel.services, log: srv.kernel.log, operations: () => [], maxBody: 2 };
    const user = { username: 'admin', createdAt: new Date(0) };
    const call = callOperation(
      operations.getObject,
      { repository, ref: 'main', path: 'a/1.txt' },
      user,
      new AbortController().signal,
      parts,
    );
    await assert.rejects(call, /the object has 3 bytes; scripts can read 2 bytes at once/);
  });

  it('ends a hook that runs itself over and over', async () => {
    const script = `${client} local code, body = lakefs.create_tag("lakes", "main", action.tag_id .. "x") print(code) if code ~= 201 then error(body.message) end`;
    srv.kernel.hooks.event.for('pre-create-tag').tapPromise('test', async event => {
      if (!event.tag?.startsWith('again')) return;
      const { failure } = await srv.runHook(script, { event });
      if (failure !== undefined) throw new SrvError('invalid', failure);
    });
    const made = srv.kernel.services.get('engine').createTag(repository, 'again', 'main');
    const failure = await made.then(() => 'it succeeded', messageOf);
    assert.match(failure, /scripts started each other 3 times/);
  });

  it('runs scripts that people wrote', async t => {
    const engine = srv.kernel.services.get('engine');
    const event = { commit: { message: 'release 7', metadata: { notebook: 'https://x/1', reviewed: 'yes' } } };

    await t.test('commit metadata', async () => {
      const script = `
        regexp = require("regexp")
        hook = require("hook")
        for k, pattern in pairs(args) do
          local value = action.commit.metadata[k]
          if value == nil then hook.fail("missing mandatory metadata field: " .. k) end
          if pattern ~= "" and not regexp.match(pattern, value) then
            hook.fail("current value for commit metadata field " .. k .. " does not match pattern: " .. pattern)
          end
        end`;
      assert.deepEqual(await srv.runHook(script, { event, properties: { args: { notebook: '^https://.*', reviewed: '' } } }), {
        output: '',
      });
      const { failure } = await srv.runHook(script, { event, properties: { args: { owner: '' } } });
      assert.equal(failure, 'missing mandatory metadata field: owner');
    });

    await t.test('file formats', async () => {
      const script = `
        lakefs = require("lakefs")
        strings = require("strings")
        after = ""
        has_more = true
        need_more = true
        print("args:")
        print(args)
        while has_more do
          local code, resp = lakefs.diff_refs(action.repository_id, action.branch_id, action.source_ref, after, args.prefix)
          if code ~= 200 then error("could not diff: " .. resp.message) end
          for _, result in pairs(resp.results) do
            if result.type == "added" or result.type == "changed" then
              for _, ext in ipairs(args.deny) do
                if strings.has_suffix(result.path, ext) then error("forbidden format: " .. result.path) end
              end
            end
          end
          has_more = resp.pagination.has_more
          after = resp.pagination.next_offset
        end`;
      const merge = { type: 'pre-merge' as const, branch: 'main', sourceRef: 'dev' };
      assert.match(
        (await srv.runHook(script, { event: merge, properties: { args: { prefix: 'a/', deny: ['.txt'] } } })).failure ?? '',
        /forbidden format: a\/3.txt/,
      );
      assert.equal(
        (await srv.runHook(script, { event: merge, properties: { args: { prefix: 'a/', deny: ['.csv'] } } })).failure,
        undefined,
      );
    });

    await t.test('columns of Parquet files', async () => {
      const file = parquetWriteBuffer({
        columnData: [
          { name: 'id', data: [1, 2], type: 'INT32' },
          { name: 'user_ssn', data: ['a', 'b'], type: 'STRING' },
        ],
      });
      await engine.putObject(repository, 'main', 'tables/t.parquet', Buffer.from(file));
      const script = `
        lakefs = require("lakefs")
        parquet = require("encoding/parquet")
        regexp = require("regexp")
        local code, content = lakefs.get_object(action.repository_id, action.source_ref, "tables/t.parquet")
        local schema = parquet.get_schema(content)
        for _, column in ipairs(schema) do
          print(column.name, column.type)
          for _, pattern in ipairs(args.blocked) do
            if regexp.match(pattern, column.name) then error("column is not allowed: " .. column.name) end
          end
        end`;
      const { output, failure } = await srv.runHook(script, { properties: { args: { blocked: ['ssn$'] } } });
      assert.equal(output, 'id\tINT32\nuser_ssn\tBYTE_ARRAY\n');
      assert.match(failure ?? '', /column is not allowed: user_ssn/);
    });

    await t.test('the quick start', async () => {
      const script = `
        local version = tonumber(action.commit.message:sub(9))
        print(string.format("release %d of %s by %s", version, action.repository_id, username))
        local ok, err = pcall(function() if version > 5 then error("too new") end end)
        print(ok, type(err))`;
      assert.deepEqual(await srv.runHook(script, { event }), { output: 'release 7 of lakes by admin\nfalse\tstring\n' });
    });

    await t.test('directories of data sets', async () => {
      const script = `
        lakefs, path, json = require("lakefs"), require("path"), require("encoding/json")
        local code, page = lakefs.list_objects(action.repository_id, action.source_ref, "", "a/", "")
        for _, o in ipairs(page.results) do
          local p = path.parse(o.path)
          local c, text = lakefs.stat_object(action.repository_id, action.source_ref, o.path)
          print(p.parent, p.base_name, json.unmarshal(text).size_bytes)
        end`;
      assert.deepEqual(await srv.runHook(script, { event }), { output: 'a/\t1.txt\t3\na/\t2.txt\t3\n' });
    });
  });
});
