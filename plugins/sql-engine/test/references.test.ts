/** What a query names. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { referencesOf } from '../src/server/references.js';

const named = (sql: string) => {
  const { tables, chains } = referencesOf(sql);
  const text = ({ start, end }: { readonly start: number; readonly end: number }): string => sql.slice(start, end);
  return { tables: tables.map(text), chains: chains.map(chain => [text(chain), chain.name.join('/'), chain.isTable]) };
};

it('finds tables of the system schema wherever they stand, without the column after them', () => {
  const sql = 'SELECT zoo.main.system.object_metadata.path FROM zoo.main.SYSTEM.object_metadata, "a-b" . "f/x" . system . object_journal';
  assert.deepEqual(named(sql), {
    tables: ['zoo.main.system.object_metadata', 'zoo.main.SYSTEM.object_metadata', '"a-b" . "f/x" . system . object_journal'],
    chains: [],
  });
});

it('finds tables of a catalog where a table can stand, and only there', () => {
  const sql = `WITH t AS (SELECT a.b.c.d, t.s.x.y AS z, 'from lake.main.sales.text' FROM lake.main.sales.books JOIN "La ke".v1.a.b."c.d" ON x.y.z.w = 1)
    FROM t, lake.dev.sales.authors -- FROM lake.main.sales.comment`;
  assert.deepEqual(named(sql).chains, [
    // A field of a column, as it turns out.
    ['t.s.x.y', 'x/y', false],
    ['lake.main.sales.books', 'sales/books', true],
    ['"La ke".v1.a.b."c.d"', 'a/b/c.d', true],
    ['lake.dev.sales.authors', 'sales/authors', false],
  ]);
  assert.deepEqual(
    ['DESCRIBE a.b.c.d', 'SUMMARIZE a.b.c.d', 'SELECT 1 FROM (FROM a.b.c.d)'].map(query => named(query).chains),
    Array.from({ length: 3 }, () => [['a.b.c.d', 'c/d', true]]),
  );
});
