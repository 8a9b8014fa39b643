/** The index and the journal as tables for SQL. */
import { all, may, repositoryArn } from '@srv/lib-api';
import { findBranch } from './find-branch.js';
import type { Engine } from '@srv/engine/contract';
import type { OpenSystemTable, SystemTable } from '@srv/lib-records/tables/system-tables';
import type { FoundObject, JournalEntry, JournalRequest, MetadataSearch, SearchRequest } from '../contract.js';

/** Changes of one page of the journal. */
const pageSize = 1000;

type Rows = (
  repository: string,
  commit: string,
  options: { readonly signal?: AbortSignal | undefined },
) => AsyncIterable<Readonly<Record<string, unknown>>>;

export function systemTables(
  search: MetadataSearch,
  engine: Pick<Engine, 'getBranch' | 'getCommit' | 'getRepository'>,
): Readonly<Record<string, SystemTable>> {
  /** Rows of a commit never change. */
  const ofCommit = async (name: string, ref: string, rows: Rows): Promise<OpenSystemTable> => {
    const repository = await engine.getRepository(name);
    const { id } = await engine.getCommit(repository, ref);
    return { id: `${repository.instanceUid}/${id}`, rows: signal => rows(name, id, { signal }) };
  };
  async function* objects(repository: string, ref: string, request: SearchRequest) {
    for await (const object of search.rows(repository, ref, request)) yield objectRow(repository, object);
  }
  async function* changes(repository: string, commit: string, request: JournalRequest) {
    for (let after = ''; ; ) {
      const page = await search.journal(repository, commit, { after, amount: pageSize, ...request });
      for (const entry of page.results) yield changeRow(repository, entry);
      if (!page.hasMore) return;
      after = page.nextOffset;
    }
  }
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
      isListed: search.isIndexed,
      permission: listing,
      async open(name, ref, { uncommitted }) {
        const branch = uncommitted ? await findBranch(name, ref, engine) : undefined;
        if (!branch) return ofCommit(name, ref, objects);
        return { rows: signal => objects(name, branch.id, { uncommitted, signal }) };
      },
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
      isListed: search.isIndexed,
      permission: repository => all(listing(repository), may('fs:ListCommits', repositoryArn(repository))),
      open: (name, ref) => ofCommit(name, ref, changes),
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
