/** What a run collects in addition to objects: metadata files, old reports, abandoned uploads. Under the run's lease. */

import { namespaceOf } from '@srv/lib-stores/block';
import { refuseOverlap } from '../mark/overlap.js';
import { endAbandonedUploads } from './abandoned-uploads.js';
import { removeOldReports } from './old-reports.js';
import { MetadataReferences } from './references.js';
import { setAsideUnreferenced, tendSetAside } from './set-aside.js';
import type { Repository } from '@srv/engine/contract';
import type { MarkContext } from '../mark/context.js';
import type { Lease } from '../run/lease.js';
import type { RunRecords } from '../run/run-record.js';

/** Milliseconds. */
export interface MetadataAges {
  /** Metadata files younger than this stay. */
  readonly files: number;
  /** Metadata files that were set aside are removed after this. */
  readonly setAside: number;
  /** Uploads to which nothing was added for so long are ended; 0: none. */
  readonly uploads: number;
  /** Reports older than this go; 0: none. */
  readonly reports: number;
}

export interface MetadataCounts {
  /** Metadata files that nothing names: set aside, or only counted. */
  readonly metadataFiles: number;
  readonly abortedUploads: number;
  readonly oldReports: number;
}

interface MetadataRequest {
  readonly repository: Repository;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  /** Nothing is changed. */
  readonly dryRun: boolean;
  readonly ages: MetadataAges;
}

type Context = Pick<MarkContext, 'kv' | 'block' | 'committed' | 'engine'> & { readonly records: RunRecords };

export async function collectMetadata(request: MetadataRequest, context: Context): Promise<MetadataCounts> {
  const { repository, lease, signal, dryRun, ages } = request;
  const { references, folder } = await readReferences(request, context);
  if (dryRun) return { metadataFiles: references.unreferenced().length, abortedUploads: 0, oldReports: 0 };
  await refuseOverlap(context.block, repository, context.engine.repositories(''));
  const place = { repository, folder, lease, signal };
  const now = Date.now();
  await tendSetAside(place, references, now - ages.setAside, context);
  const metadataFiles = await setAsideUnreferenced(place, references, context);
  const permit = (): void => lease.check();
  return {
    metadataFiles,
    abortedUploads: ages.uploads > 0 ? await endAbandonedUploads({ repository, before: now - ages.uploads, signal, permit }, context) : 0,
    oldReports: ages.reports > 0 ? await removeOldReports({ repository, before: now - ages.reports, signal, permit }, context) : 0,
  };
}

/** Puts metadata files back that are named again, and removes those that were set aside long ago. */
export async function maintainMetadataFiles(request: Omit<MetadataRequest, 'dryRun'>, context: Context): Promise<void> {
  const { repository, lease, signal, ages } = request;
  const { references, folder } = await readReferences(request, context);
  await tendSetAside({ repository, folder, lease, signal }, references, Date.now() - ages.setAside, context);
}

async function readReferences({ repository, signal, ages }: Omit<MetadataRequest, 'dryRun' | 'lease'>, context: Context) {
  const folder = await context.committed.folderOf(namespaceOf(repository));
  const cutoff = Date.now() - ages.files;
  return { folder, references: await MetadataReferences.read({ repository, folder, cutoff, signal }, context) };
}
