/** Services outside: HTTP, S3, Glue, Azure, Google Cloud Storage, Databricks, against servers of this machine. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ScriptedHttp } from '@srv/test-servers';
import { startAzurite } from '@srv/test-servers/azure';
import { startGlue } from '@srv/test-servers/glue';
import { startGs } from '@srv/test-servers/gs';
import { targetOf } from '../src/outside/gcloud.js';
import { repository, startHookServer } from './hook.js';
import { TestRunner } from './run-script.js';

/** Processes this one started and that still run. */
const childProcesses = (): readonly string[] => {
  const { stdout } = spawnSync('ps', ['-o', 'args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').filter(line => line.includes('outside/process.js'));
};

describe('services outside', { concurrency: 1 }, () => {
  let scripts: TestRunner;
  before(() => (scripts = new TestRunner({ body: 1 << 20 })));
  after(() => scripts.close());

  const print = async (script: string, args: object, expected: string | RegExp): Promise<void> => {
    const { output, failure } = await scripts.run(script, { args, netHttp: true });
    assert.equal(failure, undefined);
    if (typeof expected === 'string') assert.equal(output, `${expected}\n`);
    else assert.match(output, expected);
  };

  it('ends the process for calls outside with the script', async t => {
    const server = await ScriptedHttp.open((_, response) => void response.end('x'));
    t.after(() => server.close());
    const leaving = new AbortController();
    const script = 'local http = require("net/http") http.request(args.url) print("asked") require("time").sleep(60e9)';
    const running = scripts.run(script, { args: { url: server.url }, netHttp: true, signal: leaving.signal, log: () => leaving.abort() });
    assert.match((await running).failure ?? '', /no request waits/);
    while (childProcesses().length > 0) await sleep(20);
  });

  it('net/http', async t => {
    const server = await ScriptedHttp.open((request, response) => {
      if (request.url === '/away') return void response.writeHead(302, { location: '/echo' }).end();
      if (request.url === '/large') return void response.end(Buffer.alloc(2 << 20));
      void text(request).then(body => {
        response.setHeader('Set-Cookie', ['a=1', 'b=2']);
        response.setHeader('X-Method', request.method ?? '');
        response.writeHead(request.url === '/missing' ? 404 : 200);
        response.end(`${request.method} ${String(request.headers['x-token'])} ${body}`);
      });
    });
    t.after(() => server.close());
    const args = { url: server.url };
    const http = 'local http = require("net/http") ';
    await print(
      `${http} local code, body, headers, status = http.request(args.url .. "/echo") print(code, body, headers["X-Method"], #headers["Set-Cookie"], status)`,
      args,
      '200\tGET undefined \tGET\t2\t200 OK',
    );
    await print(`${http} print((select(2, http.request(args.url .. "/echo", "hello"))))`, args, 'POST undefined hello');
    await print(
      `${http} print(http.request{url = args.url .. "/missing", method = "PUT", body = "b", headers = {["X-Token"] = array({"one", "two"})}})`,
      args,
      /^404\tPUT one, two b\ttable: \w+\t404 Not Found\n$/,
    );
    await print(`${http} print((http.request(args.url .. "/away")))`, args, '200');
    await print(`${http} print(pcall(http.request, ""))`, args, 'false\tmissing request url');
    await print(`${http} print(pcall(http.request, args.url .. "/large"))`, args, /^false\tthe response is larger than 1048576 bytes/);
    await print(`${http} print(pcall(http.request, "http://127.0.0.1:1/"))`, args, /^false\t.*ECONNREFUSED/);
    const off = await scripts.run(http, { args });
    assert.match(off.failure ?? '', /module 'net\/http' not found/);
  });

  it('S3', async t => {
    const srv = await startHookServer({ plugins: ['gateway-s3'] });
    t.after(srv.stop);
    const args = { url: srv.url, key: srv.key.accessKeyId, secret: srv.key.secretAccessKey };
    const s3 = 'local s3 = require("aws").s3_client(args.key, args.secret, "us-east-1", args.url) ';
    await print(
      `${s3} local data = "\\0\\255bytes" s3.put_object("lakes", "main/d/one", data)
       local body, exists = s3.get_object("lakes", "main/d/one") print(body == data, exists)
       print(s3.get_object("lakes", "main/none"), select(2, s3.get_object("no-such-bucket", "x")))`,
      args,
      'true\ttrue\n\tfalse',
    );
    await print(
      `${s3} for i = 1, 3 do s3.put_object("lakes", "main/d/" .. i, "x") end s3.put_object("lakes", "main/d/sub/x", "y")
       local page = s3.list_objects("lakes", "main/d/")
       for _, r in ipairs(page.results) do print(r.type, r.key) end
       print(page.is_truncated, page.next_continuation_token == "", page.results[2].size, page.results[2].last_modified:match("^%d+%-%d+%-%d+T[%d:]+Z$") ~= nil)
       print(#s3.list_objects("lakes", "main/d/", "", "").results)`,
      args,
      'prefix\tmain/d/sub/\nobject\tmain/d/one\nobject\tmain/d/3\nobject\tmain/d/2\nobject\tmain/d/1\nfalse\ttrue\t7\ttrue\n5',
    );
    await print(
      `${s3} s3.delete_object("lakes", "main/d/one") s3.delete_recursive("lakes", "main/d/") print(#s3.list_objects("lakes", "main/", "", "").results)`,
      args,
      '0',
    );
    await print(
      `${s3} print(pcall(require("aws").s3_client("unknown", "x", "us-east-1", args.url).get_object, "lakes", "main/a"))`,
      args,
      /^false\t/,
    );
    assert.equal(repository, 'lakes');
  });

  it('Glue', async t => {
    const glue = await startGlue();
    t.after(() => glue.close());
    const client = 'local glue = require("aws").glue_client(args.key, "secret", "us-east-1", args.url) ';
    const args = { url: glue.url, key: glue.accessKeyId };
    await print(
      `${client} glue.create_database("db") print(pcall(glue.create_database, "db"))`,
      args,
      /^false\t.*Database already exists: db\n$/,
    );
    await print(
      `${client} glue.create_database("db", {error_on_already_exists = false}) glue.create_table("db", '{"Name":"t","Parameters":{"a":"1"}}')
       glue.update_table("db", '{"Name":"t","Parameters":{"a":"2"}}', "", "1", true)
       local t, ok = glue.get_table("db", "t") print(ok, t.Table.Name, t.Table.Parameters.a)
       glue.delete_table("db", "t") print(glue.get_table("db", "t")) glue.delete_database("db")`,
      args,
      'true\tt\t2\n\tfalse',
    );
    assert.deepEqual(glue.databases(), []);
    await print(
      `${client} print(pcall(glue.create_database, "a", {create_db_input = '{"Name":"b"}'}))`,
      args,
      /^false\tcreate_db_input names the database "b"/,
    );
    await print(`${client} print(pcall(glue.create_table, "db", "[]"))`, args, /^false\tjson must be a JSON object/);
    await print(`${client} print(pcall(glue.get_table, "none"))`, args, /^false\tbad argument #3/);
  });

  it('Azure', async t => {
    const azure = await startAzurite();
    t.after(() => azure.close());
    await azure.createContainer('box');
    const client = 'local blob = require("azure").blob_client(args.account, args.key) ';
    const args = { account: azure.url, key: azure.accessKey };
    await print(
      `${client} blob.put_object("box/a/b", "\\0\\255") local body, ok = blob.get_object("box/a/b") print(ok, #body, body:byte(2))
       blob.delete_object("box/a/b") print(blob.get_object("box/a/b")) print(pcall(blob.get_object, "nobox"))`,
      args,
      /^true\t2\t255\n\tfalse\nfalse\tthe path "nobox" names no container/,
    );
  });

  it('Google Cloud Storage', async t => {
    const fake = await startGs();
    t.after(() => fake.close());
    await fake.createBucket('box');
    process.env['STORAGE_EMULATOR_HOST'] = fake.url;
    const there = new TestRunner();
    t.after(() => there.close());
    const script = `
      local gs = require("gcloud").gs_client(args.key)
      gs.write_fuse_symlink("gs://lake/data/x", "gs://box/links/a b", {from = "gs://lake", to = "/mnt/lake"})`;
    assert.deepEqual(await there.run(script, { args: { key: fake.credentialsJson } }), { output: '' });
    delete process.env['STORAGE_EMULATOR_HOST'];
    const found = await fetch(`${fake.url}/storage/v1/b/box/o/${encodeURIComponent('links/a b')}`);
    const { metadata, size } = (await found.json()) as { readonly metadata?: unknown; readonly size?: string };
    assert.deepEqual([metadata, size], [{ gcsfuse_symlink_target: '/mnt/lake/data/x' }, '0']);

    assert.equal(targetOf('gs://bucket/data/x', 'gs://bucket', undefined), '/data/x');
    assert.equal(targetOf('gs://bucket/data/x', 'gs://bucket/', '/mnt/lake'), '/mnt/lake/data/x');
    assert.equal(targetOf('elsewhere', 'gs://bucket/', undefined), 'elsewhere');
    const gs = 'local gs = require("gcloud").gs_client(args.key) ';
    await print(
      `${gs} print(pcall(gs.write_fuse_symlink, "s", "gs://b/o"))`,
      { key: '{}' },
      /^false\tthe credentials must be the JSON key of a service account/,
    );
    await print(
      `${gs} print(pcall(gs.write_fuse_symlink, "s", "s3://b/o", {}))`,
      { key: '{"client_email":"a","private_key":"b"}' },
      /^false\texpected a URI gs:\/\/bucket\/object/,
    );
  });

  it('Databricks', async t => {
    const statements: string[] = [];
    const schemas = new Set<string>();
    const tables = new Set<string>();
    const server = await ScriptedHttp.open((request, response) => {
      const answer = (status: number, body: object): void =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      void text(request).then(sent => {
        if (request.headers.authorization !== 'Bearer token') return answer(403, { error_code: 'PERMISSION_DENIED', message: 'bad token' });
        if (request.method === 'GET' && request.url?.startsWith('/api/2.1/')) return answer(200, { name: request.url.split('.').at(-1) });
        if (request.method === 'GET') return answer(200, { statement_id: 's', status: { state: 'SUCCEEDED' } });
        const body = JSON.parse(sent) as { readonly name?: string; readonly statement?: string };
        if (body.name !== undefined) {
          if (schemas.has(body.name)) return answer(400, { error_code: 'SCHEMA_ALREADY_EXISTS', message: 'there it is' });
          schemas.add(body.name);
          return answer(200, { name: body.name });
        }
        const statement = body.statement ?? '';
        statements.push(statement);
        const [, name = ''] = /TABLE `(\w+)`/.exec(statement) ?? [];
        if (statement.startsWith('CREATE') && tables.has(name))
          return answer(200, { status: { state: 'FAILED', error: { message: 'TABLE_OR_VIEW_ALREADY_EXISTS' } } });
        if (statement.startsWith('CREATE')) tables.add(name);
        else tables.delete(name);
        return answer(200, { statement_id: 's', status: { state: 'PENDING' } });
      });
    });
    t.after(() => server.close());
    const args = { url: server.url };
    const client = 'local db = require("databricks").client(args.url, "token") ';
    await print(
      `${client} print(db.create_schema("main", "cat", false), db.create_schema("main", "cat", true)) print(pcall(db.create_schema, "main", "cat", false))`,
      args,
      /^main\tmain\nfalse\tHTTP 400 SCHEMA_ALREADY_EXISTS: there it is\n$/,
    );
    await print(
      `${client} print(db.register_external_table("my-table", "s3://b/t", "wh", "cat", "main", {description = "it's"}))
       print(db.register_external_table("my-table", "s3://b/t", "wh", "cat", "main"))
       print(db.execute_statement("SELECT 1", "wh", "cat", "main"))
       print(pcall(db.register_external_table, "bad name", "s3://b/t", "wh", "cat", "main"))
       print(pcall(db.register_external_table, "t", "not a url", "wh", "cat", "main"))`,
      args,
      /^SUCCEEDED\nSUCCEEDED\nSUCCEEDED\nfalse\tinvalid table name "bad name".*\nfalse\tthe location "not a url" is not a URL\n$/,
    );
    assert.deepEqual(statements.slice(0, 4), [
      "CREATE EXTERNAL TABLE `my_table` LOCATION 's3://b/t' COMMENT 'it\\'s'",
      "CREATE EXTERNAL TABLE `my_table` LOCATION 's3://b/t'",
      'DROP TABLE `my_table`',
      "CREATE EXTERNAL TABLE `my_table` LOCATION 's3://b/t'",
    ]);
    await print(
      'print(pcall(require("databricks").client(args.url, "wrong").create_schema, "s", "c", false))',
      args,
      /^false\tHTTP 403 PERMISSION_DENIED: bad token/,
    );
  });
});
