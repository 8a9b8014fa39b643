/**
 * Repeats snapshots of one side of a merge on top of the other: what they added is added again, what they replaced is replaced
 * there, with the sequence numbers and row ids that come next. Files of data stay as they are; manifests are rewritten where
 * their entries say otherwise. Nothing is stored: the new files are collected.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { SrvError } from '@srv/kernel';
import { namingFile } from '@srv/lib-records/tables/avro/error';
import { whole } from '../exact-json.js';
import { eachEntry, entryStatus, rewriteManifest } from '../manifests/manifest.js';
import { readManifestList, writeManifestList } from '../manifests/manifest-list.js';
import { operationOf, repeatedKey } from './history.js';
import { summaryAfter } from './summary.js';
import type { ManifestEntry } from '../manifests/manifest.js';
import type { ManifestFile } from '../manifests/manifest-list.js';
import type { Snapshot, TableMetadata } from '../metadata/model.js';
import type { ChainLink } from './history.js';

export interface ReplayOptions {
  /** Bytes of a file of the table. @throws AvroError, or what the store throws. */
  readonly read: (address: string) => Promise<Buffer>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Bytes of the manifests that a merge writes at most: they are held until it is carried out. */
const maxWritten = 256 << 20;
const none = -1n;

/** A file that a compaction replaced, and the manifest that says so. */
interface Removal {
  readonly key: string;
  readonly specId: number;
  readonly content: ManifestFile['content'];
}

export class Replay {
  readonly #options: ReplayOptions;
  readonly #table: TableMetadata;
  readonly #sync = randomBytes(16);
  #manifests: readonly ManifestFile[] | undefined;
  #written = 0;
  /** Files to store, by address. */
  readonly files = new Map<string, Buffer>();
  /** New ids by the ids and origins of the snapshots that were repeated. */
  readonly ids = new Map<string, bigint>();

  /** @param table the destination, which grows. */
  constructor(table: TableMetadata, options: ReplayOptions) {
    this.#table = table;
    this.#options = options;
  }

  /** @throws SrvError `conflict` when the snapshot cannot be repeated. */
  async add(link: ChainLink): Promise<void> {
    const { snapshot } = link;
    const table = this.#table;
    if (!snapshot) throw new SrvError('conflict', `snapshot ${link.id} of the source has expired`);
    this.#manifests ??= await this.#currentManifests();
    const current = this.#manifests;
    const id = this.#newId();
    // Version 1 has no sequence numbers.
    const sequence = table['format-version'] === 1 ? 0n : BigInt(table['last-sequence-number']) + 1n;
    const own = (await this.#list(snapshot)).filter(({ snapshotId }) => snapshotId === BigInt(snapshot['snapshot-id']));
    const isCompaction = operationOf(link) === 'replace';
    const kept = isCompaction ? await this.#without(await this.#removals(own, link), current, { id, sequence, link }) : current;
    const added: ManifestFile[] = [];
    for (const manifest of own) {
      const again = await this.#added(manifest, { id, sequence, link, isCompaction });
      if (again) added.push(again);
    }
    await this.#finish(link, snapshot, { id, sequence, manifests: [...added, ...kept], added });
  }

  /** Writes the list, and makes the snapshot the current one. */
  async #finish(
    link: ChainLink,
    snapshot: Snapshot,
    made: { id: bigint; sequence: bigint; manifests: readonly ManifestFile[]; added: readonly ManifestFile[] },
  ): Promise<void> {
    const table = this.#table;
    const { id, sequence } = made;
    const parent = table['current-snapshot-id'];
    const formatVersion = table['format-version'];
    const firstRowId = formatVersion >= 3 ? BigInt((table['next-row-id'] ?? 0) as number | bigint) : undefined;
    const { manifests, nextRowId } = withRowIds(made.manifests, firstRowId);
    const address = `${table.location}/metadata/snap-${id}-1-${randomUUID()}.avro`;
    const facts = { formatVersion, snapshotId: id, parentId: parent === undefined ? undefined : BigInt(parent), sequence, firstRowId };
    this.#keep(address, await writeManifestList(manifests, facts, this.#sync));
    this.#manifests = manifests;
    const time = Math.max(this.#options.now, Number(table['last-updated-ms']));
    const before = table.snapshots.find(known => String(known['snapshot-id']) === String(parent));
    const { 'parent-snapshot-id': _, ...facts2 } = snapshot;
    table.snapshots.push({
      ...facts2,
      'snapshot-id': whole(id),
      ...(parent === undefined ? {} : { 'parent-snapshot-id': parent }),
      ...(formatVersion === 1 ? {} : { 'sequence-number': whole(sequence) }),
      'timestamp-ms': time,
      'manifest-list': address,
      summary: { ...summaryAfter(before, snapshot), [repeatedKey]: link.origin },
      ...(firstRowId === undefined || nextRowId === undefined
        ? {}
        : { 'first-row-id': whole(firstRowId), 'added-rows': whole(nextRowId - firstRowId) }),
    });
    table['last-sequence-number'] = whole(sequence);
    if (nextRowId !== undefined) table['next-row-id'] = whole(nextRowId);
    table['last-updated-ms'] = time;
    table['current-snapshot-id'] = whole(id);
    table.refs['main'] = { type: 'branch', ...table.refs['main'], 'snapshot-id': whole(id) };
    table['snapshot-log'].push({ 'timestamp-ms': time, 'snapshot-id': whole(id) });
    this.ids.set(link.id, id).set(link.origin, id);
  }

  async #currentManifests(): Promise<readonly ManifestFile[]> {
    const current = this.#table['current-snapshot-id'];
    const snapshot = this.#table.snapshots.find(known => String(known['snapshot-id']) === String(current));
    return snapshot ? this.#list(snapshot) : [];
  }

  async #list(snapshot: Snapshot): Promise<ManifestFile[]> {
    const address = snapshot['manifest-list'];
    if (typeof address !== 'string') throw new SrvError('conflict', `snapshot ${snapshot['snapshot-id']} has no manifest list`);
    const bytes = await this.#read(address);
    return namingFile(address, () => readManifestList(bytes));
  }

  /** Files that a compaction replaced. */
  async #removals(own: readonly ManifestFile[], { snapshot }: ChainLink): Promise<Removal[]> {
    const found: Removal[] = [];
    const id = BigInt(snapshot?.['snapshot-id'] ?? 0);
    for (const { path, specId, content, snapshotId } of own)
      await this.#each(path, entry => {
        if (entry.status === entryStatus.deleted && (entry.snapshotId ?? snapshotId) === id)
          found.push({ key: entry.key, specId, content });
      });
    return found;
  }

  /** Manifests without the removed files. @throws SrvError `conflict` when one of these is not there. */
  async #without(
    removals: readonly Removal[],
    current: readonly ManifestFile[],
    made: { readonly id: bigint; readonly sequence: bigint; readonly link: ChainLink },
  ): Promise<ManifestFile[]> {
    const left = new Set(removals.map(({ key }) => key));
    const kinds = new Set(removals.map(({ specId, content }) => `${specId} ${content}`));
    const kept: ManifestFile[] = [];
    for (const manifest of current) {
      const mayHold = left.size > 0 && kinds.has(`${manifest.specId} ${manifest.content}`);
      kept.push(mayHold ? await this.#removed(manifest, left, made) : manifest);
    }
    const [missing] = left;
    if (missing !== undefined)
      throw new SrvError(
        'conflict',
        `the source's snapshot ${made.link.id} compacts ${missing}, which the destination does not have any longer`,
      );
    return kept;
  }

  async #removed(
    manifest: ManifestFile,
    left: Set<string>,
    { id, sequence }: { readonly id: bigint; readonly sequence: bigint },
  ): Promise<ManifestFile> {
    let isHit = false;
    await this.#each(manifest.path, ({ key, status }) => {
      if (status !== entryStatus.deleted && left.has(key)) isHit = true;
    });
    if (!isHit) return manifest;
    const count = { existing: 0n, deleted: 0n, existingRows: 0n, deletedRows: 0n };
    let least = sequence;
    let nextRow = manifest.firstRowId;
    const { bytes: rewritten } = await this.#rewritten(manifest.path, entry => {
      if (entry.status === entryStatus.deleted) return undefined;
      const firstRowId = entry.firstRowId ?? (manifest.content === 'data' ? nextRow : undefined);
      if (entry.firstRowId === undefined && nextRow !== undefined) nextRow += entry.rows;
      const from = sequenceOf(entry, manifest);
      const goes = left.delete(entry.key);
      if (goes) {
        count.deleted++;
        count.deletedRows += entry.rows;
      } else {
        count.existing++;
        count.existingRows += entry.rows;
        if (from < least) least = from;
      }
      return {
        status: goes ? entryStatus.deleted : entryStatus.existing,
        snapshotId: goes ? id : (entry.snapshotId ?? manifest.snapshotId),
        sequence: from,
        fileSequence: entry.fileSequence ?? manifest.sequence,
        firstRowId,
      };
    });
    return {
      ...this.#manifest(manifest, rewritten),
      sequence,
      minSequence: least,
      snapshotId: id,
      files: { added: 0n, existing: count.existing, deleted: count.deleted },
      rows: { added: 0n, existing: count.existingRows, deleted: count.deletedRows },
    };
  }

  /** What a snapshot added by one of its manifests. */
  async #added(
    manifest: ManifestFile,
    { id, sequence, link, isCompaction }: { id: bigint; sequence: bigint; link: ChainLink; isCompaction: boolean },
  ): Promise<ManifestFile | undefined> {
    const own = BigInt(link.snapshot?.['snapshot-id'] ?? 0);
    if (!this.#table['partition-specs'].some(spec => spec['spec-id'] === manifest.specId))
      throw new SrvError(
        'conflict',
        `the source's snapshot ${link.id} uses partition spec ${manifest.specId}, which the destination does not have`,
      );
    let rows = 0n;
    let least = sequence;
    const { bytes, entries } = await this.#rewritten(manifest.path, entry => {
      if (entry.status !== entryStatus.added || (entry.snapshotId ?? manifest.snapshotId) !== own) return undefined;
      if (manifest.content === 'deletes' && !isCompaction)
        throw new SrvError('conflict', `the source's snapshot ${link.id} is an append, and deletes rows`);
      if (entry.firstRowId !== undefined)
        throw new SrvError('conflict', `the source's snapshot ${link.id} adds ${entry.path}, whose rows have ids already`);
      rows += entry.rows;
      // A compaction leaves its files as old as those that they replace, so that later deletions hold for them.
      const kept = isCompaction ? entry.sequence : undefined;
      if (kept !== undefined && kept < least) least = kept;
      return { status: entryStatus.added, snapshotId: id, sequence: kept, fileSequence: undefined, firstRowId: undefined };
    });
    if (entries === 0) return undefined;
    return {
      ...this.#manifest(manifest, bytes),
      sequence,
      minSequence: least,
      snapshotId: id,
      files: { added: BigInt(entries), existing: 0n, deleted: 0n },
      rows: { added: rows, existing: 0n, deleted: 0n },
      firstRowId: undefined,
    };
  }

  #manifest(manifest: ManifestFile, bytes: Buffer): ManifestFile {
    const path = `${this.#table.location}/metadata/${randomUUID()}-m0.avro`;
    this.#keep(path, bytes);
    return { ...manifest, path, length: BigInt(bytes.length) };
  }

  #keep(address: string, bytes: Buffer): void {
    this.#written += bytes.length;
    if (this.#written > maxWritten)
      throw new SrvError('conflict', `merging the table would write manifests of more than ${maxWritten >> 20} MiB; merge more often`);
    this.files.set(address, bytes);
  }

  async #each(address: string, visit: (entry: ManifestEntry) => void): Promise<void> {
    const bytes = await this.#read(address);
    await namingFile(address, () => eachEntry(bytes, visit));
  }

  async #rewritten(address: string, change: Parameters<typeof rewriteManifest>[2]) {
    const bytes = await this.#read(address);
    return namingFile(address, () => rewriteManifest(bytes, this.#sync, change));
  }

  async #read(address: string): Promise<Buffer> {
    return this.files.get(address) ?? this.#options.read(address);
  }

  #newId(): bigint {
    for (;;) {
      const id = randomBytes(8).readBigUInt64BE() >> 1n;
      if (id !== 0n && !this.#table.snapshots.some(known => BigInt(known['snapshot-id']) === id)) return id;
    }
  }
}

function sequenceOf({ sequence, status }: ManifestEntry, manifest: ManifestFile): bigint {
  // Entries that were written before there were sequence numbers have none.
  return sequence ?? (status === entryStatus.added ? manifest.sequence : 0n);
}

/** Rows of manifests that are new get the next ids. */
function withRowIds(manifests: readonly ManifestFile[], first: bigint | undefined) {
  if (first === undefined) return { manifests, nextRowId: undefined };
  let nextRowId = first;
  const numbered = manifests.map(manifest => {
    if (manifest.content !== 'data' || manifest.firstRowId !== undefined) return manifest;
    const firstRowId = nextRowId;
    for (const rows of [manifest.rows.added, manifest.rows.existing]) if (rows !== none) nextRowId += rows;
    return { ...manifest, firstRowId };
  });
  return { manifests: numbered, nextRowId };
}
