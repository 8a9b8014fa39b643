/** Queries to begin with, about tables of the ref that was looked at last. */
import { ask, lastPlace, offers } from '@srv/lib-page/page';
import { addressText, patternOf } from '@srv/lib-records/tables/sql/address';
import { quotedName } from '@srv/lib-records/tables/sql/completion';
import { contentTypes, extensionOf } from '@srv/lib-records/tables/sql/formats';
import { columnsOf } from './known-columns.js';
import type { Address } from '@srv/lib-records/tables/sql/address';
import type { Place } from './execution.js';

export type Example = readonly [title: string, query: string];

interface Spot {
  readonly repository: string;
  readonly ref: string;
}

/** Repositories and objects that are looked at for a table, and branches for another version of it. */
const [mostRepositories, mostObjects, mostBranches] = [5, 1000, 10];

async function list<T>(operation: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<readonly T[]> {
  return ((await ask(operation, input, { signal })) as { readonly results: readonly T[] }).results;
}

/** @returns none where no table is found. */
export async function examplesHere(place: Place, signal: AbortSignal): Promise<readonly Example[]> {
  const last = lastPlace();
  const there = last ? await examplesAt(last, place, signal) : [];
  if (there.length > 0) return there;
  const repositories = await list<{ id: string; default_branch: string }>('listRepositories', { amount: mostRepositories }, signal);
  for (const { id, default_branch: ref } of repositories) {
    const found = await examplesAt({ repository: id, ref }, place, signal);
    if (found.length > 0) return found;
  }
  return [];
}

/** @returns none where the ref has no table, or may not be read. */
async function examplesAt(spot: Spot, place: Place, signal: AbortSignal): Promise<readonly Example[]> {
  try {
    return await examplesOn(spot, place, signal);
  } catch {
    return [];
  }
}

async function examplesOn(spot: Spot, place: Place, signal: AbortSignal): Promise<readonly Example[]> {
  const input = { ...spot, amount: mostObjects, user_metadata: false };
  const objects = await list<{ path: string; size_bytes?: number }>('listObjects', input, signal);
  const file = objects.find(({ path, size_bytes: size }) => size !== 0 && extensionOf(path) in contentTypes && !patternOf(path));
  const branches = (await list<{ id: string }>('listBranches', { repository: spot.repository, amount: mostBranches }, signal)).map(
    ({ id }) => id,
  );
  const ofFile = file ? await examplesOf({ ...spot, path: file.path }, branches, signal) : [];
  if (place === 'server') return [...(await ofServer(spot, signal)), ...ofFile];
  return ofFile.length === 0 ? [] : [...ofFile, ...ofBrowser(spot, branches)];
}

const quoted = (address: Address): string => `'${addressText(address).replaceAll("'", "''")}'`;

async function examplesOf(address: Address, branches: readonly string[], signal: AbortSignal): Promise<readonly Example[]> {
  const rows: Example = ['Rows of a file', `SELECT * FROM ${quoted(address)} LIMIT 100`];
  const [groups, other] = await Promise.all([groupsOf(address, signal), otherVersion(address, branches, signal)]);
  const versions: readonly Example[] = other
    ? [['Two versions of a file', `SELECT * FROM ${quoted(address)}\nEXCEPT\nSELECT * FROM ${quoted(other)}`]]
    : [];
  return [rows, ...groups, ...versions];
}

/** Sums of a column of numbers by one of texts, if the file has both. */
async function groupsOf(address: Address, signal: AbortSignal): Promise<readonly Example[]> {
  const { columns } = await columnsOf(address, signal).catch(() => ({ columns: [] }));
  // The first column is likely to name each row.
  const texts = columns.filter(({ isNumeric }) => !isNumeric);
  const [group, number] = [texts[1] ?? texts[0], columns.findLast(({ isNumeric }) => isNumeric)];
  if (!group || !number) return [];
  const [by, of] = [quotedName(group.name), quotedName(number.name)];
  return [['Sums by group', `SELECT ${by}, count(*) AS n, avg(${of}) AS mean\nFROM ${quoted(address)}\nGROUP BY ${by}\nORDER BY n DESC`]];
}

/** The same path on another branch. */
async function otherVersion(address: Address, branches: readonly string[], signal: AbortSignal): Promise<Address | undefined> {
  for (const ref of branches) {
    if (ref === address.ref) continue;
    const other = { ...address, ref };
    const input = { repository: other.repository, ref, prefix: other.path, amount: 1, user_metadata: false };
    const [first] = await list<{ path: string }>('listObjects', input, signal);
    if (first?.path === other.path) return other;
  }
  return undefined;
}

/** Tables of the catalog and of the index, where the ref has them. */
async function ofServer(spot: Spot, signal: AbortSignal): Promise<readonly Example[]> {
  const name = (...parts: readonly string[]): string => [spot.repository, spot.ref, ...parts].map(quotedName).join('.');
  const [table] = offers('listTables')
    ? await list<{ namespace: readonly string[]; name: string }>('listTables', { ...spot, amount: 1 }, signal).catch(() => [])
    : [];
  return [
    ...(table ? [['Rows of a table', `SELECT * FROM ${name(...table.namespace, table.name)} LIMIT 100`] as const] : []),
    ...((await isIndexed(spot, signal))
      ? [['Files by size', `SELECT path, size FROM ${name('system', 'object_metadata')} ORDER BY size DESC LIMIT 100`] as const]
      : []),
  ];
}

async function isIndexed({ repository, ref }: Spot, signal: AbortSignal): Promise<boolean> {
  if (!offers('getSearchStatus')) return false;
  const found = (await ask('getSearchStatus', { repository }, { signal }).catch(() => undefined)) as
    | { readonly branches: readonly { readonly branch: string; readonly indexed: boolean }[] }
    | undefined;
  return found?.branches.some(({ branch, indexed }) => branch === ref && indexed) === true;
}

function ofBrowser({ repository, ref }: Spot, branches: readonly string[]): readonly Example[] {
  const branch = branches.includes(ref) ? ref : branches[0];
  if (branch === undefined) return [];
  return [['Write a file to a branch', `COPY (SELECT 1 AS one) TO ${quoted({ repository, ref: branch, path: 'one.parquet' })}`]];
}
