/** The prepared statements of one table. */
import pg from 'pg';

export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly rowMode: 'array';
}

export type Statements = ReturnType<typeof statementsOf>;

/** @param table its name, unquoted. */
export function statementsOf(table: string) {
  const name = pg.escapeIdentifier(table);
  const here = 'partition_key = $1 AND key = $2';
  const upsert = 'ON CONFLICT (partition_key, key) DO UPDATE SET value = EXCLUDED.value';
  const insert = `INSERT INTO ${name} (partition_key, key, value) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;
  const update = `UPDATE ${name} SET value = $3 WHERE ${here}`;
  const joint = (id: string, head: string): Statement =>
    statement(
      id,
      `WITH head AS (${head} RETURNING 1), further AS (INSERT INTO ${name} (partition_key, key, value) SELECT * FROM unnest($4::bytea[], $5::bytea[], $6::bytea[]) WHERE EXISTS (SELECT 1 FROM head) ${upsert}) SELECT 1 FROM head`,
    );
  const insertMany = `INSERT INTO ${name} (partition_key, key, value) SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[])`;
  return {
    get: statement('get', `SELECT value FROM ${name} WHERE ${here}`),
    set: statement('set', `INSERT INTO ${name} (partition_key, key, value) VALUES ($1, $2, $3) ${upsert}`),
    insert: statement('insert', insert),
    update: statement('update', update),
    replace: statement('replace', `${update} AND value = $4`),
    insertWith: joint('insert_with', insert),
    updateWith: joint('update_with', update),
    replaceWith: joint('replace_with', `${update} AND value = $7`),
    getMany: statement('get_many', `SELECT key, value FROM ${name} WHERE partition_key = $1 AND key = ANY($2::bytea[])`),
    // With the limit, the planner does one index lookup for each.
    firstMany: statement(
      'first_many',
      `SELECT asked, found.key, found.value FROM unnest($2::bytea[]) AS asked CROSS JOIN LATERAL (SELECT key, value FROM ${name} WHERE partition_key = $1 AND key >= asked ORDER BY key LIMIT 1) AS found`,
    ),
    setMany: statement('set_many', `${insertMany} ${upsert} RETURNING partition_key, key`),
    insertMany: statement('insert_many', `${insertMany} ON CONFLICT DO NOTHING RETURNING partition_key, key`),
    deleteMany: statement('delete_many', `DELETE FROM ${name} WHERE partition_key = $1 AND key = ANY($2::bytea[])`),
    delete: statement('delete', `DELETE FROM ${name} WHERE ${here}`),
    scanFrom: scan('scan_from', name, '>='),
    scanAfter: scan('scan_after', name, '>'),
  } as const;
}

/**
 * At most `$3` entries, and none after the one with which their values reach `$4` bytes: a page is bounded in the
 * database, before it can fill the memory of the client.
 */
function scan(id: string, table: string, comparison: '>=' | '>'): Statement {
  const entries = `SELECT key, value FROM ${table} WHERE partition_key = $1 AND key ${comparison} $2 ORDER BY key LIMIT $3`;
  const before = 'sum(octet_length(value)) OVER (ORDER BY key ROWS UNBOUNDED PRECEDING) - octet_length(value) AS before';
  return statement(
    id,
    `SELECT key, value FROM (SELECT key, value, ${before} FROM (${entries}) AS entries) AS page WHERE before < $4 ORDER BY key`,
  );
}

function statement(id: string, text: string): Statement {
  return { name: `srv_kv_${id}`, text, rowMode: 'array' };
}
