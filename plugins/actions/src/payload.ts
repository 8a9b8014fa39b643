/** An event as receivers outside get it (actions sheet, section 4.5). */
import { compareBytes } from '@srv/lib-records';
import type { EventRecord, PullRequestFacts } from '@srv/kernel';
import type { EventPayload, PullRequestPayload } from '@srv/lib-api/hook-types';

interface PayloadFacts {
  readonly action: string;
  readonly hookId: string;
  /** When the payload is made; default: now. */
  readonly at?: Date;
}

export function eventPayload(event: EventRecord, { action, hookId, at = new Date() }: PayloadFacts): EventPayload {
  const { commit } = event;
  const metadata = Object.entries(commit?.metadata ?? {}).sort(([a], [b]) => compareBytes(a, b));
  return {
    event_type: event.type,
    event_time: rfc3339Seconds(at),
    action_name: action,
    hook_id: hookId,
    repository_id: event.repository,
    ...filled({
      branch_id: event.branch,
      source_ref: event.sourceRef,
      tag_id: event.tag,
      commit_id: event.commitId,
      commit_message: commit?.message,
      committer: commit?.committer,
    }),
    ...(metadata.length === 0 ? {} : { commit_metadata: Object.fromEntries(metadata) }),
    ...filled({ merge_source: event.mergeSource }),
    ...(event.details?.tables?.length ? { tables: event.details.tables } : {}),
    ...(event.pullRequest ? { pull_request: pullRequestOf(event.pullRequest, event.user) } : {}),
  };
}

function pullRequestOf(
  { comment, reviewer, source, destination, ...facts }: PullRequestFacts,
  user: string | undefined,
): PullRequestPayload {
  return {
    ...facts,
    source_branch: source,
    destination_branch: destination,
    ...filled({ user, comment_id: comment, reviewer }),
  };
}

function rfc3339Seconds(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}

function filled<T extends Readonly<Record<string, string | undefined>>>(values: T): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value)) as { [K in keyof T]?: string };
}
