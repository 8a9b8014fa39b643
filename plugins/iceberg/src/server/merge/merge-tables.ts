/**
 * Merges what both sides of a merge did with a table. Appends of the source are repeated on the destination, also where one of
 * the sides compacted the table; changes of properties, schema and the like are merged part by part. Everything else is a
 * conflict.
 */
import { SrvError } from '@srv/kernel';
import { plainText } from '../exact-json.js';
import { chainOf, hasHeadOf, newLinks, operationOf } from './history.js';
import { mergeMaps, mergeMembers } from './members.js';
import { Replay } from './replay.js';
import type { SnapshotRef, TableMetadata } from '../metadata/model.js';
import type { ChainLink } from './history.js';
import type { ReplayOptions } from './replay.js';

export interface TableSides {
  readonly base: TableMetadata;
  readonly destination: TableMetadata;
  readonly source: TableMetadata;
}

export interface MergedTable {
  readonly metadata: TableMetadata;
  /** Files to store, by address. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Operations that can be repeated on one another: they change no row that was there. */
const repeatable = new Set(['append', 'replace']);

/** @throws SrvError `conflict` with the reasons. */
export async function mergeTables({ base, destination, source }: TableSides, options: ReplayOptions): Promise<MergedTable> {
  const { metadata: members, clashes: differing } = mergeMembers(base, destination, source);
  const clashes = [...differing];
  const own = newLinks(destination, base);
  // The destination may lack it: where a commit is picked, the base is not its ancestor.
  if (!hasHeadOf(base, source)) clashes.push(`the source does not have snapshot ${base['current-snapshot-id']} any longer`);
  const there = new Set(chainOf(destination).flatMap(({ id, origin }) => [id, origin]));
  const fresh = newLinks(source, base).filter(({ id, origin }) => !there.has(id) && !there.has(origin));
  const isContinued = continues(destination, own, fresh);
  if (!isContinued && fresh.length > 0) clashes.push(...unrepeatable('destination', own), ...unrepeatable('source', fresh));
  if (!isContinued && fresh.length > 0 && destination['format-version'] !== source['format-version'])
    clashes.push(`the destination has format version ${destination['format-version']}, the source ${source['format-version']}`);
  if (fresh.length > 0 || (members.location !== destination.location && destination.snapshots.length > 0))
    clashes.push(...differentAddresses(destination, source));
  if (clashes.length > 0) throw new SrvError('conflict', clashes.join('; '));

  const table = structuredClone(members);
  table['last-updated-ms'] = Math.max(options.now, Number(table['last-updated-ms']));
  if (table['next-row-id'] === undefined && source['next-row-id'] !== undefined) table['next-row-id'] = source['next-row-id'];
  const replay = new Replay(table, options);
  if (isContinued) continueWith(table, source, fresh);
  else for (const link of fresh) await replay.add(link);
  table.refs = mergedRefs({ base, destination: { ...destination, refs: table.refs }, source }, table, replay.ids);
  forgetExpired(table, base, source);
  return { metadata: table, files: replay.files };
}

/** Clients get access to what is below the location of a table: with that of one side they read no snapshot of the other. */
function differentAddresses({ location }: TableMetadata, source: TableMetadata): string[] {
  if (location === source.location) return [];
  const rewriting = 'cli iceberg rewrite srv://<repository>/<branch> --locations <gateway or store>';
  const sides = `the files of the destination are at ${location}, those of the source at ${source.location}`;
  return [`${sides}; give both sides the same addresses (${rewriting}), commit, and merge again`];
}

/** Whether the source's snapshots follow the destination's current one as they are. */
function continues(destination: TableMetadata, own: readonly ChainLink[], fresh: readonly ChainLink[]): boolean {
  const [first] = fresh;
  if (own.length > 0 || !first?.snapshot || fresh.some(({ snapshot }) => !snapshot)) return false;
  const parent = first.snapshot['parent-snapshot-id'] ?? undefined;
  const sequence = first.snapshot['sequence-number'];
  const isNext = typeof sequence === 'undefined' || (sequence as number | bigint) > destination['last-sequence-number'];
  return isNext && (parent === undefined ? '' : plainText(parent)) === plainText(destination['current-snapshot-id'] ?? '');
}

function unrepeatable(side: string, links: readonly ChainLink[]): string[] {
  return links
    .filter(link => !repeatable.has(operationOf(link)))
    .map(link => `snapshot ${link.id} of the ${side} ${link.snapshot ? notRepeated(link) : hasExpired}`);
}

const hasExpired = 'has expired, so that what it changed is not known; merge before snapshots expire, or choose a side with --strategy';
const notRepeated = (link: ChainLink): string => `is ${a(operationOf(link))}, and only appends and compactions are merged`;

const a = (operation: string): string => (operation === 'overwrite' || operation === 'unknown' ? `an ${operation}` : `a ${operation}`);

function continueWith(table: TableMetadata, source: TableMetadata, fresh: readonly ChainLink[]): void {
  for (const { snapshot } of fresh) {
    if (!snapshot) continue;
    table.snapshots.push(snapshot);
    table['snapshot-log'].push({ 'timestamp-ms': snapshot['timestamp-ms'], 'snapshot-id': snapshot['snapshot-id'] });
    table['current-snapshot-id'] = snapshot['snapshot-id'];
    table.refs['main'] = { type: 'branch', ...table.refs['main'], 'snapshot-id': snapshot['snapshot-id'] };
  }
  table['last-sequence-number'] = source['last-sequence-number'];
  if (source['next-row-id'] !== undefined) table['next-row-id'] = source['next-row-id'];
  const ids = new Set(fresh.map(({ id }) => id));
  for (const member of ['statistics', 'partition-statistics'] as const)
    table[member].push(...source[member].filter(file => ids.has(plainText(file['snapshot-id']))));
}

/** Branches and tags of the table itself. @param ids of repeated snapshots. @throws SrvError `conflict`. */
function mergedRefs(
  { base, destination, source }: TableSides,
  table: TableMetadata,
  ids: ReadonlyMap<string, bigint>,
): Record<string, SnapshotRef> {
  const others = ({ refs: { main: _, ...refs } }: TableMetadata): Record<string, SnapshotRef> => refs;
  const clash = (name: string): never => {
    throw new SrvError('conflict', `both changed the ref ${name} of the table`);
  };
  const merged = mergeMaps(others(base), others(destination), others(source), clash);
  const known = new Set(table.snapshots.map(snapshot => plainText(snapshot['snapshot-id'])));
  for (const [name, ref] of Object.entries(merged)) {
    const id = plainText(ref['snapshot-id']);
    if (known.has(id)) continue;
    const repeated = ids.get(id);
    if (repeated === undefined)
      throw new SrvError('conflict', `the ref ${name} of the table is at snapshot ${id}, which did not lead to the current one`);
    merged[name] = { ...ref, 'snapshot-id': repeated };
  }
  const { main } = table.refs;
  return main ? { main, ...merged } : merged;
}

/** Forgets the snapshots that the source has expired. */
function forgetExpired(table: TableMetadata, base: TableMetadata, source: TableMetadata): void {
  const left = new Set(source.snapshots.map(snapshot => plainText(snapshot['snapshot-id'])));
  const named = new Set(Object.values(table.refs).map(ref => plainText(ref['snapshot-id'])));
  const gone = new Set(base.snapshots.map(snapshot => plainText(snapshot['snapshot-id'])).filter(id => !left.has(id) && !named.has(id)));
  const stays = (item: { readonly 'snapshot-id'?: unknown }): boolean => !gone.has(plainText(item['snapshot-id']));
  if (gone.size === 0) return;
  table.snapshots = table.snapshots.filter(stays);
  table['snapshot-log'] = table['snapshot-log'].filter(stays);
  table.statistics = table.statistics.filter(stays);
  table['partition-statistics'] = table['partition-statistics'].filter(stays);
}
