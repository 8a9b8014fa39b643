/** Points in the life of a repository that plugins can observe or, before the fact, refuse. */

type Action = 'commit' | 'merge' | 'revert' | 'cherry-pick' | `${'create' | 'delete'}-${'branch' | 'tag'}`;

const pullRequestChanges = ['created', 'review-requested', 'commented', 'approved', 'merged', 'closed', 'reopened'] as const;

/** What happened to a pull request. */
export type PullRequestChange = (typeof pullRequestChanges)[number];

/** `pre-` and `prepare-` taps may refuse, `post-` taps are notified. */
export type EventType = 'prepare-commit' | `${'pre' | 'post'}-${Action}` | `post-pull-request-${PullRequestChange}`;

const actions = ['commit', 'merge', 'create-branch', 'delete-branch', 'create-tag', 'delete-tag', 'revert', 'cherry-pick'] as const;

/** Every type there is. */
export const eventTypes: readonly EventType[] = [
  'prepare-commit',
  ...actions.flatMap(action => [`pre-${action}`, `post-${action}`] as const),
  ...pullRequestChanges.map(change => `post-pull-request-${change}` as const),
];

export interface CommitFacts {
  readonly committer: string;
  readonly message: string;
  readonly metarangeId: string;
  readonly creationDate: Date;
  readonly metadata: Readonly<Record<string, string>>;
  readonly parents: readonly string[];
  readonly generation: number;
}

/** What an event of a pull request is about. */
export interface PullRequestFacts {
  readonly id: string;
  readonly title: string;
  readonly author: string;
  readonly source: string;
  readonly destination: string;
  /** Id of the comment. */
  readonly comment?: string | undefined;
  /** Name of the user who is asked for a review. */
  readonly reviewer?: string | undefined;
}

/** What plugins add to an event. */
export interface EventDetails {
  /** Tables that it is about; names are `<namespace>.<table>`. */
  readonly tables?: readonly { readonly name: string; readonly change: 'added' | 'removed' | 'changed' }[];
}

export interface EventRecord {
  /** Newest-first id: later runs sort before earlier ones. */
  readonly runId: string;
  readonly type: EventType;
  readonly repository: string;
  readonly storageNamespace: string;
  /** Of the block store of the namespace. Default: empty, the only or the default one. */
  readonly storageId?: string;
  /** Of the repository: another one of the same name has another. */
  readonly instanceUid?: string | undefined;
  /** Where action files are read from. */
  readonly sourceRef: string;
  readonly branch?: string | undefined;
  readonly tag?: string | undefined;
  readonly commit?: Partial<CommitFacts> | undefined;
  readonly commitId?: string | undefined;
  /** Run id of the matching pre- event. */
  readonly preRunId?: string;
  readonly mergeSource?: string | undefined;
  readonly pullRequest?: PullRequestFacts | undefined;
  /** Run id of the run that is repeated, where nothing but that happens. */
  readonly repeats?: string | undefined;
  /** Name of the user whose request it is. */
  readonly user?: string;
  /** Where hooks run: what plugins add. */
  readonly details?: EventDetails;
  /** Aborted when the caller no longer waits for a `pre-` or `prepare-` event. */
  readonly signal?: AbortSignal | undefined;
}
