/** Folders as archives. */
import { SrvError } from '@srv/kernel';
import {
  bytesOfType,
  demand,
  flag,
  may,
  objectArn,
  operation,
  optional,
  ref,
  reply,
  repositoryArn,
  repositoryId,
  text,
  withDefault,
} from '@srv/lib-api';
import { mostMembers, zipOf } from '../objects/archive/zip.js';
import type { OperationContext } from '@srv/lib-api';
import type { Entry } from '../contract.js';

const contentType = 'application/zip';

interface Wanted {
  readonly repository: string;
  readonly ref: string;
  /** Of the folder; empty: everything. */
  readonly prefix: string;
  /** With the folders in it. */
  readonly recursive: boolean;
}

export const archiveOperations = {
  getObjectsArchive: operation({
    operationId: 'getObjectsArchive',
    method: 'GET',
    path: '/repositories/{repository}/refs/{ref}/objects/archive',
    tag: 'objects',
    summary: 'A folder as a ZIP archive, whose names are safe to unpack',
    params: { repository: repositoryId, ref },
    query: { path: optional(text()), recursive: withDefault(flag(), true) },
    status: 200,
    result: bytesOfType(contentType),
    failures: [400, 404],
    permission: input => may('fs:ListObjects', repositoryArn(input.repository)),
    async handler(context, { repository, ref: at, path = '', recursive }) {
      const prefix = path === '' || path.endsWith('/') ? path : `${path}/`;
      const entries = await entriesOf(context, { repository, ref: at, prefix, recursive });
      const engine = context.services.get('engine');
      const { body, size } = await zipOf(
        entries.map(entry => ({
          name: entry.path.slice(prefix.length),
          size: entry.size,
          modified: entry.lastModified,
          open: () => engine.open(repository, entry, { signal: context.signal }),
        })),
      );
      const headers = {
        'Content-Type': contentType,
        'Content-Disposition': `attachment; filename="${fileName(repository, prefix)}"`,
        'X-Content-Type-Options': 'nosniff',
      };
      return reply({ headers, stream: { body, size } });
    },
  }),
};

/**
 * Policies may name single objects: every one is asked for before the first byte.
 * @throws SrvError `denied` for the first that may not be read, `not_found` for an empty folder, `invalid` for too many.
 */
async function entriesOf({ services, decide }: OperationContext, { repository, ref: at, prefix, recursive }: Wanted): Promise<Entry[]> {
  const entries: Entry[] = [];
  const delimiter = recursive ? '' : '/';
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await services.get('engine').list(repository, at, { prefix, delimiter, after, amount: 1000 });
    for (const item of results) {
      // The folder itself, where a client has made an object of it.
      if (item.kind !== 'object' || item.path === prefix) continue;
      await demand(decide, may('fs:ReadObject', objectArn(repository, item.path)));
      entries.push(item.entry);
    }
    if (entries.length > mostMembers)
      throw new SrvError('invalid', `${prefix}: more than ${mostMembers} objects; request smaller folders, or use cli fs download`);
    if (!hasMore) break;
    after = nextOffset;
  }
  if (entries.length === 0) throw new SrvError('not_found', `nothing to archive below ${JSON.stringify(prefix)} at ${at}: not found`);
  return entries;
}

/** Of the last folder, in characters that every header takes. */
function fileName(repository: string, prefix: string): string {
  const last = prefix.split('/').at(-2) ?? repository;
  return `${last.replace(/[^A-Za-z0-9._-]/g, '_')}.zip`;
}
