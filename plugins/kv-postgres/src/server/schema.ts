/** The table, made when it is missing. Servers that start at the same time take turns. */
import pg from 'pg';
import type { ClientBase } from 'pg';

/** Hash partitions of the table, `<table>_0` to `<table>_99`. */
const partitions = 100;

/**
 * Makes what is missing of the table, its partitions and the view for people. Waits for other servers that do the same.
 * What is there stays as it is, so that a user without the right to create tables can work with an existing one.
 */
export async function setUpSchema(client: ClientBase, table: string): Promise<void> {
  const lock = String(lockNumber(table));
  await client.query('SELECT pg_advisory_lock($1)', [lock]);
  try {
    if (!(await isComplete(client, table))) await client.query(definition(table));
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [lock]);
  }
}

/** What all programs that set up this table agree to lock. */
export function lockNumber(table: string): number {
  return fnv1a(`lakefs:${table}`);
}

/** FNV-1a, 32 bits. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

async function isComplete(client: ClientBase, table: string): Promise<boolean> {
  const { rows } = await client.query<{ complete: boolean }>(
    `SELECT to_regclass($2) IS NOT NULL AND count(*) = $3 AS complete FROM pg_inherits WHERE inhparent = to_regclass($1)`,
    [pg.escapeIdentifier(table), pg.escapeIdentifier(`${table}_v`), partitions],
  );
  return rows[0]?.complete === true;
}

/** Several statements sent as one are one transaction: half a schema is never left. */
function definition(table: string): string {
  const name = pg.escapeIdentifier(table);
  return [
    `CREATE TABLE IF NOT EXISTS ${name} (partition_key BYTEA NOT NULL, key BYTEA NOT NULL, value BYTEA NOT NULL, PRIMARY KEY (partition_key, key)) PARTITION BY HASH (partition_key)`,
    ...Array.from(
      { length: partitions },
      (_, i) =>
        `CREATE TABLE IF NOT EXISTS ${pg.escapeIdentifier(`${table}_${i}`)} PARTITION OF ${name} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${i})`,
    ),
    `CREATE OR REPLACE VIEW ${pg.escapeIdentifier(`${table}_v`)} AS SELECT encode(partition_key, 'escape') AS partition_key, encode(key, 'escape') AS key, value FROM ${name}`,
  ].join(';\n');
}
