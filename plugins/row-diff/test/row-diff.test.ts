/** Differences of tables on a whole server: formats, keys, rights, limits, hostile files. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { runCount, scratchFolder, seededRandom, until } from '@srv/kernel/testing';
import { ApiError, createClient } from '@srv/lib-api/client';
import { startSrv } from '@srv/test-servers';
import { parquetWriteBuffer } from 'hyparquet-writer';
import operations from '../src/operations.js';
import type { TestContext } from 'node:test';
import type {} from '@srv/auth/contract';
import type {} from '@srv/engine/contract';
import type { RowDiffLine, RowDiffSummary } from '../src/contract.js';

const repository = 'lakes';
const refused = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.status === status && message.test(error.message);

async function open(t: TestContext, config: Readonly<Record<string, unknown>> = {}) {
  const folder = scratchFolder();
  const { url, kernel, key, stop } = await startSrv({
    plugins: ['row-diff'],
    config: { 'row_diff.dir': folder, 'auth.ui_config.rbac': 'internal', ...config },
  });
  t.after(stop);
  const client = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...key });
  t.after(() => client.close());
  const { services } = kernel;
  const engine = services.get('engine');
  await engine.createRepository({ id: repository, storageNamespace: 'local://lakes' });
  await engine.createBranch(repository, 'dev', 'main');
  const put = (branch: string, path: string, body: string | Uint8Array) => engine.putObject(repository, branch, path, Buffer.from(body));
  const diff = async (path: string, more: { key?: string[]; limit?: number; right_path?: string; format?: 'delimited' } = {}) => {
    const { body } = await client.diffRows({ repository, leftRef: 'main', rightRef: 'dev', path, ...more });
    let text = '';
    for await (const chunk of body) text += String(chunk);
    return text
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as RowDiffLine);
  };
  return { client, services, url, folder, put, diff };
}

describe('diffRows', () => {
  it('matches rows by a column whose name is empty', async t => {
    const { put, diff } = await open(t);
    await put('main', 'numbered.csv', ',v\n1,a\n2,b\n');
    await put('dev', 'numbered.csv', ',v\n1,a\n2,c\n');
    const [schema, ...rows] = await diff('numbered.csv', { key: [''] });
    assert.deepEqual(schema?.type === 'schema' && schema.key, ['']);
    assert.deepEqual(
      rows.map(({ type }) => type),
      ['changed', 'summary'],
    );
    await put('main', 'named.csv', 'id\n1\n');
    await put('dev', 'named.csv', 'id\n2\n');
    await assert.rejects(diff('named.csv', { key: [''] }), refused(400, /both tables must have the column ""/));
  });

  it('shows added, removed and changed rows, cells and columns of CSV, JSON lines and Parquet', async t => {
    const { put, diff, folder } = await open(t);
    const [left, right] = [
      [
        { id: '1', name: 'Oslo', size: '7' },
        { id: '2', name: 'Rome', size: '8' },
        { id: '3', name: 'Bern', size: '9' },
      ],
      [
        { id: '3', name: 'Bern', size: '10' },
        { id: '1', name: 'Oslo', size: '7' },
        { id: '4', name: 'Lima, "Peru"', size: '1' },
      ],
    ] as const;
    type Rows = readonly Readonly<Record<string, string>>[];
    const csv = (rows: Rows): string =>
      [
        'id,name,size',
        ...rows.map(row =>
          Object.values(row)
            .map(v => `"${v.replaceAll('"', '""')}"`)
            .join(','),
        ),
      ].join('\n');
    const jsonl = (rows: Rows): string => rows.map(row => `${JSON.stringify(row)}\n`).join('');
    const parquet = (rows: Rows): Uint8Array =>
      new Uint8Array(
        parquetWriteBuffer({
          columnData: ['id', 'name', 'size'].map(name => ({ name, data: rows.map(row => row[name] ?? ''), type: 'STRING' as const })),
        }),
      );
    for (const [name, write] of [
      ['a.csv', csv],
      ['a.jsonl', jsonl],
      ['a.parquet', parquet],
    ] as const) {
      await put('main', name, write(left));
      await put('dev', name, write(right));
      const lines = await diff(name, { key: ['id'] });
      const [schema, ...rest] = lines;
      assert.ok(schema?.type === 'schema' && schema.key[0] === 'id', name);
      assert.deepEqual(
        schema.columns.map(column => [column.name, column.change]),
        [
          ['id', 'same'],
          ['name', 'same'],
          ['size', 'same'],
        ],
      );
      const summary = rest.pop();
      assert.deepEqual(summary, {
        type: 'summary',
        left_rows: 3,
        right_rows: 3,
        added: 1,
        removed: 1,
        changed: 1,
        same: 1,
        truncated: false,
        changed_cells: { size: 1 },
      });
      // Texts of JSON lines that could be numbers are in quotes.
      const cell = (text: string): string => (name === 'a.jsonl' ? JSON.stringify(text) : text);
      const row = (id: string, city: string, size: string) => ({ id: cell(id), name: city, size: cell(size) });
      assert.deepEqual(rest, [
        { type: 'changed', left_row: 3, right_row: 1, key: { id: cell('3') }, cells: { size: [cell('9'), cell('10')] } },
        { type: 'added', right_row: 3, row: row('4', 'Lima, "Peru"', '1') },
        { type: 'removed', left_row: 2, row: row('2', 'Rome', '8') },
      ]);
      const limited = await diff(name, { limit: 1 });
      assert.equal(limited.length, 3, 'the key is found');
      assert.ok(limited[2]?.type === 'summary' && limited[2].truncated && limited[2].removed === 1);
      const [, counted] = await diff(name, { key: ['id'], limit: 0 });
      assert.deepEqual(counted, { ...summary, truncated: true });
    }
    await until(async () => (await readdir(folder)).length === 0);
  });

  it('shows columns that come and go', async t => {
    const { put, diff } = await open(t);
    await put('main', 'a.csv', 'id,old\n1,x\n');
    await put('dev', 'b.csv', 'id,new\n1,y\n');
    const [schema, summary] = await diff('a.csv', { right_path: 'b.csv', key: ['id'] });
    assert.ok(schema?.type === 'schema');
    assert.deepEqual(
      schema.columns.map(({ name, change }) => [name, change]),
      [
        ['id', 'same'],
        ['new', 'added'],
        ['old', 'removed'],
      ],
    );
    assert.ok(summary?.type === 'summary' && summary.same === 1);
  });

  it('counts what a naive comparison counts, and both sides of every cell lead from one table to the other', async t => {
    const { put, diff } = await open(t);
    const random = seededRandom();
    t.diagnostic(`seed ${random.seed}`);
    const table = (rows: ReadonlyMap<string, string>): string =>
      ['id,value,fixed', ...[...rows].map(([id, value]) => `${id},${value},x`)].join('\n');
    for (let round = 0; round < runCount(3, 8); round++) {
      const sides = [new Map<string, string>(), new Map<string, string>()] as const;
      for (const side of sides) for (let i = random.below(4000); i > 0; i--) side.set(`k${random.below(5000)}`, `v${random.below(3)}`);
      await put('main', 'r.csv', table(sides[0]));
      await put('dev', 'r.csv', table(sides[1]));
      const lines = await diff('r.csv', { key: ['id'] });
      const state = new Map(sides[0]);
      const [oldIds, newIds] = sides.map(side => [...side.keys()]);
      for (const line of lines)
        if (line.type === 'added') assert.equal(newIds?.[line.right_row - 1], line.row['id']);
        else if (line.type === 'removed') assert.equal(oldIds?.[line.left_row - 1], line.row['id']);
        else if (line.type === 'changed')
          assert.deepEqual([oldIds?.[line.left_row - 1], newIds?.[line.right_row - 1]], [line.key['id'], line.key['id']]);
      for (const line of lines)
        if (line.type === 'added') state.set(line.row['id'] ?? '', line.row['value'] ?? '');
        else if (line.type === 'removed') state.delete(line.row['id'] ?? '');
        else if (line.type === 'changed') {
          assert.equal(state.get(line.key['id'] ?? ''), line.cells['value']?.[0]);
          state.set(line.key['id'] ?? '', line.cells['value']?.[1] ?? '');
        }
      assert.deepEqual(state, sides[1]);
      const { same, changed_cells: cells, changed } = lines.at(-1) as RowDiffSummary;
      const limited = await diff('r.csv', { key: ['id'], limit: random.below(100) });
      assert.deepEqual((limited.at(-1) as RowDiffSummary).changed_cells, cells);
      assert.equal(same, [...sides[0]].filter(([id, value]) => sides[1].get(id) === value).length);
      assert.equal(cells['value'] ?? 0, changed);
    }
  });

  it('refuses what cannot be compared with the reason, and leaves no file', async t => {
    const { put, diff, folder } = await open(t, { 'row_diff.max_object_bytes': 1000 });
    await put('main', 'a.csv', 'id\n1\n');
    await put('dev', 'a.csv', 'id\n1\n');
    await put('main', 'a.png', 'x');
    await put('dev', 'a.png', 'x');
    await put('main', 'broken.parquet', 'PAR1 this is not one PAR1');
    await put('dev', 'broken.parquet', 'PAR1');
    await put('main', 'long.csv', 'x'.repeat(1001));
    await put('dev', 'long.csv', 'x');
    await assert.rejects(diff('a.csv', { key: ['nothing'] }), refused(400, /both tables must have the column nothing/));
    await assert.rejects(diff('a.png'), refused(400, /does not say which table it is; pass format/));
    assert.equal((await diff('a.png', { format: 'delimited' })).length, 2);
    await assert.rejects(diff('a.csv', { right_path: 'broken.parquet' }), refused(400, /different formats/));
    await assert.rejects(diff('broken.parquet'), refused(400, /the tables cannot be compared: /));
    await assert.rejects(diff('long.csv'), refused(400, /long\.csv has 1001 bytes; at most 1000 are compared/));
    await assert.rejects(diff('missing.csv'), refused(404, /./));
    await until(async () => (await readdir(folder)).length === 0);
  });

  it('refuses tables of a few bytes that have more rows than its memory allows', async t => {
    const { put, diff } = await open(t, { 'row_diff.memory_bytes': 67_108_864 });
    // A stream of Arrow with one column of nulls, 4,000,000,000 of them.
    const stream = Buffer.from(
      '/////3AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAEAAAAUAAAAEAAUAAgABgAHAAwAAAAQABAAAAAAAAEBEAAAABgAAAAEAAAA' +
        'AAAAAAEAAABuAAAABAAEAAQAAAAAAAAA/////1gAAAAUAAAAAAAAAAAACgAOAAYABQAIAAoAAAAAAwQAEAAAAAAACgAUAAwABAAIAAoAAAAUAAAADAAAAAAoa+4AAAAA' +
        'AAAAAAEAAAAAKGvuAAAAAAAoa+4AAAAA/////wAAAAA=',
      'base64',
    );
    for (const branch of ['main', 'dev']) await put(branch, 'nulls.arrows', stream);
    await assert.rejects(
      diff('nulls.arrows'),
      refused(400, /4000000000 and 4000000000 rows.* at most 67108864 \(row_diff\.memory_bytes\)/),
    );
  });

  it('refuses a value that has no place in its memory, and the server stays', async t => {
    const { put, diff } = await open(t, { 'row_diff.memory_bytes': 67_108_864 });
    // Parquet with one row: a number, and a list of 100,000,000 zeros.
    const table = (id: number): Buffer => {
      const bytes = Buffer.from(
        'UEFSMRUEFRAVIkwVAhUAEgAAKLUv/SAIQQAAAQAAAAAAAAAVABUSFSQsFQIVEBUGFQYcAAAAKLUv/SAJSQAAAgAAAAIBAQIAFQQVCBUaTBUCFQASAAAotS/9IAQhAAAA' +
          'AAAAFQAVNBVGLBWAhK9fFRAVBhUGHAAAACi1L/0gGtEAAAcAAAAD/vCDr18BBQAAAICEr18DAYCEr18AFQQZXDUAGAZzY2hlbWEVBAAVBCUCGAJpZAA1AhgBbBUCFQZM' +
          'PAAAADUEGARsaXN0FQIAFQIlAhgHZWxlbWVudAAWAhkcGSwmABwVBBk1AAYQGRgCaWQVDBYCFmQWiAEmRiYIKSwVBBUAFQIAFQAVEBUCADwpBhkmAAIAAAAmABwVAhk1' +
          'AAYQGTgBbARsaXN0B2VsZW1lbnQVDBaAhK9fFoQBFqgBJsYBJpABKSwVBBUAFQIAFQAVEBUCADwpJgL+g69fGUYAAACAhK9fAAAAFugBFgImCBawAgAZHBgMQVJST1c6' +
          'c2NoZW1hGKwCLy8vLy85Z0FBQUFRQUFBQUFBQUtBQXdBQmdBRkFBZ0FDZ0FBQUFBQkJBQU1BQUFBQ0FBSUFBQUFCQUFJQUFBQUJBQUFBQUlBQUFCMEFBQUFCQUFBQUtU' +
          'Ly8vOEFBQUVNRkFBQUFCd0FBQUFFQUFBQUFRQUFBQlFBQUFBQkFBQUFiQUFBQUFRQUJBQUVBQUFBMFAvLy93QUFBUUlRQUFBQUdBQUFBQVFBQUFBQUFBQUFCQUFBQUds' +
          'MFpXMEFBQUFBeFAvLy93QUFBQUVnQUFBQUVBQVVBQWdBQmdBSEFBd0FBQUFRQUJBQUFBQUFBQUVDRUFBQUFCd0FBQUFFQUFBQUFBQUFBQUlBQUFCcFpBQUFDQUFNQUFn' +
          'QUJ3QUlBQUFBQUFBQUFVQUFBQUE9ABggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZLBwAABwAAABFAgAAUEFSMQ==',
        'base64',
      );
      const at = bytes.indexOf(Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]));
      bytes[at] = id;
      return bytes;
    };
    for (const [branch, id] of [
      ['main', 1],
      ['dev', 2],
    ] as const)
      await put(branch, 'a.parquet', table(id));
    await assert.rejects(
      diff('a.parquet', { key: ['l'] }),
      refused(400, /needs more than 67108864 bytes of memory \(row_diff\.memory_bytes\)/),
    );
    await put('main', 'a.csv', 'id\n1\n');
    await put('dev', 'a.csv', 'id\n1\n');
    assert.equal((await diff('a.csv')).length, 2);
  });

  it('compares again once its folder can be written to again', async t => {
    const { put, diff, folder } = await open(t, { 'row_diff.concurrency': 1 });
    for (const branch of ['main', 'dev']) await put(branch, 'a.csv', 'id\n1\n');
    await rename(folder, `${folder}-away`);
    await assert.rejects(diff('a.csv'), refused(500, /./));
    await rename(`${folder}-away`, folder);
    assert.equal((await diff('a.csv')).length, 2);
    await until(async () => (await readdir(folder)).length === 0);
  });

  it('outlives a temporary folder that it cannot remove', async t => {
    const { put, services, diff, folder } = await open(t, { 'row_diff.concurrency': 1 });
    for (const branch of ['main', 'dev']) await put(branch, 'a.csv', 'id\n1\n');
    const side = (ref: string) => ({ ref, path: 'a.csv' });
    const { body } = await services.get('rowDiffs').compare(repository, { left: side('main'), right: side('dev') });
    await once(body, 'readable');
    await rename(folder, `${folder}-away`);
    // Below a file nothing can be removed.
    await writeFile(folder, '');
    body.destroy();
    await once(body, 'close');
    await rm(folder);
    await rename(`${folder}-away`, folder);
    assert.equal((await diff('a.csv')).length, 2);
  });

  it('wants the right to read both objects', async t => {
    const { put, services, url } = await open(t);
    await put('main', 'a.csv', 'id\n1\n');
    await put('dev', 'b.csv', 'id\n2\n');
    const auth = services.get('auth');
    await auth.createUser({ username: 'tester' });
    const tester = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...(await auth.createCredential('tester')) });
    t.after(() => tester.close());
    const call = async () => {
      const { body } = await tester.diffRows({ repository, leftRef: 'main', rightRef: 'dev', path: 'a.csv', right_path: 'b.csv' });
      for await (const _ of body);
    };
    const read = (path: string) => ({
      effect: 'allow' as const,
      action: ['fs:ReadObject'],
      resource: `arn:lakefs:fs:::repository/lakes/object/${path}`,
    });
    await auth.createPolicy('exact', [read('a.csv')]);
    await auth.attachToUser('tester', 'exact');
    await assert.rejects(call(), refused(401, /not allowed to fs:ReadObject on arn:lakefs:fs:::repository\/lakes\/object\/b\.csv$/));
    await auth.updatePolicy('exact', [read('b.csv')]);
    await assert.rejects(call(), refused(401, /not allowed to fs:ReadObject on arn:lakefs:fs:::repository\/lakes\/object\/a\.csv$/));
    await auth.updatePolicy('exact', [read('a.csv'), read('b.csv')]);
    await call();
  });
});
