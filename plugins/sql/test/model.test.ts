/** Statements, the files they name, and what the engine gets. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressOf, patternOf } from '@srv/lib-records/tables/sql/address';
import { typedAt, wordsFor } from '@srv/lib-records/tables/sql/completion';
import { engineSql, fileReplacement, withAddresses } from '@srv/lib-records/tables/sql/engine-sql';
import { fileUsesOf } from '@srv/lib-records/tables/sql/file-uses';
import { segmentsOf } from '@srv/lib-records/tables/sql/segments';
import { statementsOf } from '@srv/lib-records/tables/sql/statements';

const texts = (script: string): string[] => statementsOf(script).map(({ text }) => text);
const usesIn = (sql: string) =>
  statementsOf(sql).flatMap(statement => fileUsesOf(statement).map(({ role, address }) => `${role} ${address}`));

describe('an editor', () => {
  it('colours words, texts, names and comments, and loses nothing', () => {
    const sql = 'SELECT a, \'x -- y\' FROM "b" -- end\n/* open';
    assert.equal(
      segmentsOf(sql)
        .map(({ text }) => text)
        .join(''),
      sql,
    );
    assert.deepEqual(
      segmentsOf(sql).flatMap(({ text, kind }) => (kind ? [[kind, text]] : [])),
      [
        ['keyword', 'SELECT'],
        ['text', "'x -- y'"],
        ['keyword', 'FROM'],
        ['name', '"b"'],
        ['comment', '-- end\n/* open'],
      ],
    );
  });

  it('knows what is typed: words and addresses, not texts, comments or what is closed', () => {
    const typed = (sql: string) => typedAt(sql, sql.length);
    assert.deepEqual(typed('SELECT co'), { kind: 'word', start: 7, text: 'co' });
    assert.deepEqual(typed("FROM 'srv://a/m"), { kind: 'address', start: 6, text: 'srv://a/m' });
    for (const sql of ['', 'SELECT ', "SELECT 'co", "FROM 'srv://a/m'", '-- co', 'SELECT 12', '/* co'])
      assert.equal(typed(sql), undefined, sql);
    assert.deepEqual(typedAt('sel * from', 3), { kind: 'word', start: 0, text: 'sel' });
  });

  it('offers columns before words, in the case of what is typed, with quotes where they are needed', () => {
    assert.deepEqual(wordsFor('cou', ['Country', 'x']), ['Country', 'count(']);
    assert.deepEqual(wordsFor('SEL', []), ['SELECT']);
    assert.deepEqual(wordsFor('or', ['order', 'or no']), ['"order"', '"or no"', 'order']);
  });
});

describe('statements', () => {
  it('end at semicolons outside quotes and comments', () => {
    assert.deepEqual(texts('select \';\' a; -- no; end\nselect ";" /* ; /* ; */ ; */ ;; select $$;$$, $t$;$$;$t$'), [
      "select ';' a",
      'select ";"',
      'select $$;$$, $t$;$$;$t$',
    ]);
    assert.deepEqual(texts("select E'it\\'s; ' || 'it''s;'"), ["select E'it\\'s; ' || 'it''s;'"]);
    assert.deepEqual(texts(' ; -- nothing\n'), []);
    assert.deepEqual(texts("select 'open; quote"), ["select 'open; quote"]);
  });

  it('are queries when they only ask', () => {
    for (const [sql, expected] of [
      ['select 1', true],
      ['((select 1))', true],
      ['FROM t', true],
      ['with a as (select 1) select * from a', true],
      ["with a as (select 'delete') select * from a", true],
      ['with a as (select 1) insert into t select * from a', false],
      ['create table t as select 1', false],
      ['describe t', false],
      ["'select'", false],
    ] as const)
      assert.equal(statementsOf(sql)[0]?.isQuery, expected, sql);
  });
});

describe('files of a statement', () => {
  it('are where tables stand, what readers get, and what COPY reads and writes', () => {
    for (const [sql, expected] of [
      [
        "select * from 'srv://a/b/c.csv', \"srv://a/b/d.csv\" where x = 'srv://a/b/e.csv'",
        ['table srv://a/b/c.csv', 'table srv://a/b/d.csv'],
      ],
      ["select * from t join 'lakefs://a/b/c.csv' on true", ['table lakefs://a/b/c.csv']],
      [
        "select count(*) from READ_PARQUET(['srv://a/b/1.parquet', 'srv://a/b/2.parquet'])",
        ['read srv://a/b/1.parquet', 'read srv://a/b/2.parquet'],
      ],
      [
        "copy (select * from 'srv://a/b/c.csv') to 'srv://a/b/it''s.parquet' (format parquet)",
        ['table srv://a/b/c.csv', "write srv://a/b/it's.parquet"],
      ],
      ["copy t from 'srv://a/b/c.csv'", ['read srv://a/b/c.csv']],
      ["create view v as select * from (select * from 'https://x.example/c.csv')", ['table https://x.example/c.csv']],
      ["describe 'srv://a/b/c.csv'", ['query srv://a/b/c.csv']],
      ["select * from t where u in (select u from 'srv://a/b/c.csv')", ['table srv://a/b/c.csv']],
    ] as const)
      assert.deepEqual(usesIn(sql), expected, sql);
  });

  it('are tables wherever a query or a list of tables can stand', () => {
    const a = "'srv://a/b/c.csv'";
    for (const [sql, tables] of [
      [`select count(*) from ${a} a join ${a} b on a.a = b.a, ${a} c`, 3],
      [`select count(*) from ${a} join ${a} b using (a), ${a} c left join ${a} d on c.a in (1, 2) and d.a = {'x': 1, 'y': 2}.x, ${a} e`, 5],
      [`select count(*) from (${a} a join ${a} b using (a)) join ((${a} c cross join ${a} d)) on true`, 4],
      [`with t as materialized (from ${a}), u as not materialized (from ${a}) select count(*) from t, u`, 2],
      [`(from ${a} limit 1) union all (from ${a} limit 1) except (from ${a})`, 3],
      [`select 1 where 5 = any (from ${a} select a) or 5 > all (from ${a} select a)`, 2],
      [`select array(from ${a} select a limit 2), array(with t as (from ${a}) from t)`, 2],
      [`from range(2) r, lateral (from ${a} where a = r.range) x select count(*)`, 1],
      [`select case when (from ${a} select count(*)) > 1 then 1 else (from ${a} select count(*)) end`, 2],
      [`select count(*) from (pivot ${a} on b using sum(c)), ${a}`, 2],
    ] as const)
      assert.deepEqual(
        usesIn(sql),
        Array.from({ length: tables }, () => 'table srv://a/b/c.csv'),
        sql,
      );
    for (const sql of [`table ${a}`, `select * from (table ${a})`, `select 5 = any (table ${a})`])
      assert.deepEqual(usesIn(sql), ['query srv://a/b/c.csv'], sql);
  });

  it('are not data', () => {
    for (const sql of [
      "select 'https://x.example', 'srv://a/b/c.csv' from t",
      "select * from t where url = 'https://x.example' or url in ('https://y.example')",
      "select url is distinct from 'https://x.example' from t",
      "select trim(leading 'h' from 'https://x.example')",
      "select trim(from 'https://x.example'), trim(both from 'https://x.example'), substring('https://x.example' from 2)",
      "pivot t on a, 'https://x.example' using sum(b), first('https://x.example') group by 'https://x.example'",
      "select * from t join u on t.a = {'k': 1, 'https://x.example': 2} and t.b in ('a', 'https://x.example')",
      "select * from (values (1, 'https://x.example'), (2, 'https://x.example'))",
      "insert into t values ('https://x.example')",
      "-- from 'https://x.example'\nselect 1",
      "select * from t, u where a = 'https://x.example', 'https://y.example'",
      "select * from 'local.csv'",
    ])
      assert.deepEqual(usesIn(sql), [], sql);
  });

  it('are objects of this server, or refused', () => {
    assert.deepEqual(addressOf("srv://a/main~1/b c/it's=1%/d?.csv"), { repository: 'a', ref: 'main~1', path: "b c/it's=1%/d?.csv" });
    assert.deepEqual(addressOf('lakefs://a/b/c'), { repository: 'a', ref: 'b', path: 'c' });
    assert.throws(() => addressOf('srv://a/b/'), {
      message: 'srv://a/b/ is not the address of an object: write srv://repository/ref/path',
    });
    for (const address of ['https://x.example/a.csv', 's3://a/b/c', 'file:///etc/passwd', 'SRV://a/b/c'])
      assert.throws(() => addressOf(address), /is not in this server: queries read and write srv:/, address);
  });

  it('are not opened by statements that do it themselves', () => {
    for (const [sql, word] of [
      ["attach 'https://x.example/a.db' as a", 'ATTACH'],
      ["ATTACH IF NOT EXISTS 'srv://a/b/c.db'", 'ATTACH'],
      ["export database 's3://a/b'", 'EXPORT'],
      ["import database 'file:///b'", 'IMPORT'],
      ["install httpfs from 'http://x.example'", 'INSTALL'],
      ["load 'http://x.example/a.extension'", 'LOAD'],
    ] as const)
      assert.throws(() => usesIn(sql), { message: new RegExp(`^${word} cannot open [a-z0-9]+://`) }, sql);
    assert.deepEqual(usesIn("attach ':memory:' as a; load json"), []);
  });

  it('may be patterns', () => {
    assert.equal(patternOf('a/b.csv'), undefined);
    const { prefix, glob } = patternOf('a/b*/c?.(1)csv') ?? assert.fail();
    assert.equal(prefix, 'a/b');
    for (const [path, expected] of [
      ['a/b/c1.(1)csv', true],
      ['a/bcd/cx.(1)csv', true],
      ['a/b/x/c1.(1)csv', false],
      ['a/b/c.(1)csv', false],
    ] as const)
      assert.equal(glob.matches(path), expected, path);
    const { glob: deep } = patternOf('a/**/x.csv') ?? assert.fail();
    assert.deepEqual(
      ['a/x.csv', 'a/b/c/x.csv', 'ax.csv'].map(path => deep.matches(path)),
      [true, true, false],
    );
  });
});

describe('files for the engine', () => {
  const rewritten = (sql: string, ...names: readonly string[]): string => {
    const [statement = assert.fail()] = statementsOf(sql);
    return engineSql(
      statement.text,
      fileUsesOf(statement).map(use => fileReplacement(use, { names, formats: ['csv', 'parquet'] })),
    );
  };

  it('has its own names, and readers where tables stand', () => {
    assert.equal(
      rewritten("select a.x from 'srv://a/b/c.PARQUET' a limit 5", 'srv-file-1.parquet'),
      "select a.x from read_parquet('srv-file-1.parquet', hive_partitioning=false) a limit 5",
    );
    assert.equal(
      rewritten("from 'srv://a/b/*.csv'", 'srv-file-1.csv', 'srv-file-2.csv'),
      "from read_csv_auto(['srv-file-1.csv', 'srv-file-2.csv'], hive_partitioning=false)",
    );
    assert.equal(
      rewritten("SUMMARIZE 'srv://a/b/c.csv'", 'srv-file-1.csv'),
      "SUMMARIZE SELECT * FROM read_csv_auto('srv-file-1.csv', hive_partitioning=false)",
    );
    assert.equal(
      rewritten("table 'srv://a/b/c.csv' limit 1", 'srv-file-1.csv'),
      "SELECT * FROM read_csv_auto('srv-file-1.csv', hive_partitioning=false) limit 1",
    );
    assert.equal(rewritten("from read_csv('srv://a/b/c', sep='|')", 'srv-file-1'), "from read_csv('srv-file-1', sep='|')");
    assert.throws(() => rewritten("from 'srv://a/b/c.dat'", 'srv-file-1.dat'), /does not show its format: write read_csv_auto/);
  });

  it('and what it says has the addresses', () => {
    const addresses = new Map([['srv-file-1.csv', 'srv://a/b/c.csv']]);
    assert.equal(withAddresses("in 'srv-file-1.csv', srv-file-2.csv", addresses), "in 'srv://a/b/c.csv', srv-file-2.csv");
    assert.equal(withAddresses('in/srv-file-1.csv in/srv-file-10.csv', addresses), 'srv://a/b/c.csv in/srv-file-10.csv');
    assert.equal(withAddresses("'in/side main/x'", addresses), "'in/side main/x'");
  });
});
