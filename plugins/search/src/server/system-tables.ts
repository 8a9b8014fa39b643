/** The index and the journal as tables for SQL. */
import { all, may, repositoryArn } from '@srv/lib-api';
import type { Engine } from '@srv/engine/contract';
import type { SystemTable } from '@srv/lib-records/tables/system-tables';
import type { FoundObject, JournalEntry, MetadataSearch } from '../contract.js';

/** Changes of one page of the journal. */
const pageSize = 1000;

type Rows = (
  repository: string,
  commit: string,
  options: { readonly signal?: AbortSignal | undefined },
) => AsyncIterable<Readonly<Record<string, unknown>>>;

export function systemTables(
  search: MetadataSearch,
  engine: Pick<Engine, 'getCommit' | 'getRepository'>,
): Readonly<Record<string, SystemTable>> {
  /** Rows of a commit never change. */
  const opener = (rows: Rows): SystemTable['open'] => {
    return async (name, ref) => {
      const repository = await engine.getRepository(name);
      const { id } = await engine.getCommit(repository, ref);
      return { id: `${repository.instanceUid}/${id}`, rows: signal => rows(name, id, { signal }) };
    };
  };
  return {
    object_metadata: {
      columns: {
        repository: 'VARCHAR',
        path: 'VARCHAR',
        commit_id: 'VARCHAR',
        size: 'BIGINT',
        last_modified: 'TIMESTAMP',
        etag: 'VARCHAR',
        user_metadata: 'MAP(VARCHAR, VARCHAR)',
        committer: 'VARCHAR',
        content_type: 'VARCHAR',
      },
      permission: listing,
      open: opener(async function* (repository, commit, options) {
        for await (const object of search.rows(repository, commit, options)) yield objectRow(repository, object);
      }),
    },
    object_journal: {
      columns: {
        repository: 'VARCHAR',
        commit_id: 'VARCHAR',
        time: 'TIMESTAMP',
        committer: 'VARCHAR',
        path: 'VARCHAR',
        operation: 'VARCHAR',
        size_before: 'BIGINT',
        size_after: 'BIGINT',
        etag_before: 'VARCHAR',
        etag_after: 'VARCHAR',
      },
      permission: repository => all(listing(repository), may('fs:ListCommits', repositoryArn(repository))),
      open: opener(async function* (repository, commit, options) {
        for (let after = ''; ; ) {
          const page = await search.journal(repository, commit, { after, amount: pageSize, ...options });
          for (const entry of page.results) yield changeRow(repository, entry);
          if (!page.hasMore) return;
          after = page.nextOffset;
        }
      }),
    },
  };
}

function listing(repository: string) {
  return all(may('fs:ReadRepository', repositoryArn(repository)), may('fs:ListObjects', repositoryArn(repository)));
}

function objectRow(repository: string, { path, commitId, size, lastModified, etag, metadata, committer, contentType }: FoundObject) {
  return {
    repository,
    path,
    commit_id: commitId,
    size,
    last_modified: lastModified.getTime(),
    etag,
    user_metadata: metadata,
    committer,
    content_type: contentType,
  };
}

function changeRow(repository: string, { commitId, date, committer, path, operation, before, after }: JournalEntry) {
  return {
    repository,
    commit_id: commitId,
    time: date.getTime(),
    committer,
    path,
    operation,
    size_before: before?.size,
    size_after: after?.size,
    etag_before: before?.etag,
    etag_after: after?.etag,
  };
}
