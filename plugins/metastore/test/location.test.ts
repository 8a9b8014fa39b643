import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relocate } from '../src/copy/location.js';
import { rewriteTable } from '../src/copy/rewrite.js';
import type { LocationRule } from '../src/copy/location.js';

const branch: LocationRule = { kind: 'branch', branch: 'dev' };
const imported: LocationRule = { kind: 'import', repository: 'lakes', branch: 'main' };
const symlink: LocationRule = { kind: 'symlink', root: 's3://bucket/ns/symlinks' };

test('locations follow the rule', () => {
  const cases: readonly (readonly [location: string, rule: LocationRule, expected: string, dbfsRoot?: string])[] = [
    ['s3a://lakes/main/tables/events', branch, 's3a://lakes/dev/tables/events'],
    ['s3a://lakes/main/tables/events/', branch, 's3a://lakes/dev/tables/events/'],
    ['s3a://lakes/main', branch, 's3a://lakes/dev'],
    ['s3a://lakes/main/a b?c#d%20/ü', branch, 's3a://lakes/dev/a b?c#d%20/ü'],
    ['s3://bucket/path/of/data', imported, 's3://lakes/main/path/of/data'],
    ['s3://bucket', imported, 's3://lakes/main'],
    ['gs://bucket//double', imported, 'gs://lakes/main/double'],
    ['s3a://lakes/main/tables/events', symlink, 's3://bucket/ns/symlinks/lakes/main/tables/events'],
    ['dbfs:/mnt/lake/x', imported, 's3://lakes/main/data/mnt/lake/x', 's3://bucket/data/'],
    ['s3://bucket/dbfs:/x', imported, 's3://lakes/main/dbfs:/x', 's3://other/'],
    ['', branch, ''],
  ];
  for (const [location, rule, expected, dbfsRoot] of cases) assert.equal(relocate(location, rule, dbfsRoot), expected, location);
});

test('rejects invalid locations', () => {
  for (const location of ['dbfs:/mnt/x', '/data/x', 's3://', 's3:///x', 'lakes/main'])
    assert.throws(() => relocate(location, branch), {
      message: `got empty schema or host while parsing location url, location should be schema://host/path: ${location}`,
    });
});

test('tables of Spark keep their placeholder, and their path moves', () => {
  const table = {
    tableName: 'events',
    parameters: { 'spark.sql.sources.provider': 'delta' },
    sd: {
      location: 'file:/warehouse/events-__PLACEHOLDER__',
      serdeInfo: { name: 'old', parameters: { path: 's3a://lakes/main/events', other: 'x' } },
    },
  };
  const target = { database: 'dev', table: 'events', serde: 'events', rule: branch, dbfsRoot: '', fixSparkPlaceholder: false };
  const { sd } = rewriteTable(table, target);
  assert.deepEqual(sd, {
    location: 'file:/warehouse/events-__PLACEHOLDER__',
    serdeInfo: { name: 'events', parameters: { path: 's3a://lakes/dev/events', other: 'x' } },
  });
  assert.equal(rewriteTable(table, { ...target, fixSparkPlaceholder: true }).sd?.location, 's3a://lakes/dev/events');
});
