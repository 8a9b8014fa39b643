/** What is kept of system tables. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { scratchFolder, until } from '@srv/kernel/testing';
import { TableCache } from '../src/server/table-cache.js';

const log = { warn: (facts: object) => assert.fail(JSON.stringify(facts)) };

it('beyond limit: the table that was not used for longest goes, and every reader gets a copy', async () => {
  const folder = scratchFolder();
  const limit = 10_000;
  const cache = new TableCache({ folder, limit, log });
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  for (let i = 0; i < 20; i++) {
    writeFileSync(from, `${i}`.padEnd(1000));
    await cache.keep(`table ${i}`, from);
    assert.ok(cache.bytes <= limit, `${cache.bytes} bytes`);
  }
  assert.equal(await cache.take('table 19', to), 1000);
  assert.equal(readFileSync(to, 'utf8'), '19'.padEnd(1000));
  // A query that changes its copy changes nothing for others.
  writeFileSync(to, 'changed');
  assert.equal(await cache.take('table 19', to), 1000);
  assert.equal(await cache.take('table 0', to), undefined);
  const own = join(folder, readdirSync(folder).find(name => name.includes('-tables')) ?? assert.fail('nothing is kept'));
  await until(() => readdirSync(own).length === 5);
  writeFileSync(from, 'x'.repeat(20_000));
  await cache.keep('large', from);
  assert.equal(await cache.take('large', to), undefined);
  await until(() => readdirSync(own).length <= 5);
  await cache.keep('missing', join(folder, 'nowhere'));
  await cache.close();
  assert.equal(
    readdirSync(folder).some(name => name.includes('-tables')),
    false,
  );
});

it('nothing is kept where the setting is 0', async () => {
  const folder = scratchFolder();
  const cache = new TableCache({ folder, limit: 0, log });
  writeFileSync(join(folder, 'from'), 'x');
  await cache.keep('table', join(folder, 'from'));
  assert.equal(await cache.take('table', join(folder, 'to')), undefined);
  assert.deepEqual([cache.isUsed, cache.bytes, readdirSync(folder)], [false, 0, ['from']]);
  await cache.close();
});

it('a table that cannot be kept is logged, and later ones are kept', async () => {
  const folder = scratchFolder();
  const warnings: string[] = [];
  const warn = (facts: object, text: string) => void warnings.push(`${text} ${JSON.stringify(facts)}`);
  const cache = new TableCache({ folder, limit: 10_000, log: { warn } });
  const [from, to] = [join(scratchFolder(), 'from'), join(scratchFolder(), 'to')];
  writeFileSync(from, 'x');
  renameSync(folder, `${folder}-away`);
  await cache.keep('table', from);
  await cache.keep('table', from);
  assert.equal(await cache.take('table', to), undefined);
  assert.equal(warnings.length, 2);
  assert.match(warnings[0] ?? '', /cannot keep a system table for the next queries \(sql_engine\.dir\) .*ENOENT/);
  renameSync(`${folder}-away`, folder);
  await cache.keep('table', from);
  assert.equal(await cache.take('table', to), 1);
  await cache.close();
  assert.deepEqual([readdirSync(folder), warnings.length], [[], 2]);
});
