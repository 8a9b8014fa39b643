/** The table `action` that scripts see. Every field is there; what an event has none of is empty. */
import type { HookRequest } from '@srv/lib-api/hook-types';

const noDate = '0001-01-01T00:00:00Z';
/** Version of commit records. */
const commitVersion = 1;

export function actionTable({ action, hookId, event }: Pick<HookRequest, 'action' | 'hookId' | 'event'>): object {
  const { commit } = event;
  return {
    action_name: action,
    hook_id: hookId,
    run_id: event.runId,
    pre_run_id: event.preRunId ?? '',
    event_type: event.type,
    commit_id: event.commitId ?? '',
    branch_id: event.branch ?? '',
    source_ref: event.sourceRef,
    tag_id: event.tag ?? '',
    merge_source: event.mergeSource ?? '',
    tables: (event.details?.tables ?? []).map(({ name, change }) => ({ name, change })),
    repository_id: event.repository,
    storage_namespace: event.storageNamespace,
    commit: {
      message: commit?.message ?? '',
      committer: commit?.committer ?? '',
      meta_range_id: commit?.metarangeId ?? '',
      creation_date: commit?.creationDate ? commit.creationDate.toISOString().replace(/\.000Z$/, 'Z') : noDate,
      version: commit ? commitVersion : 0,
      metadata: commit?.metadata ?? {},
      parents: commit?.parents ?? [],
    },
  };
}
