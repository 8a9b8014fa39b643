/** Runs of actions, for other plugins. */

import type { Page, PageRequest } from '@srv/engine/contract';
import type { EventRecord, EventType } from '@srv/kernel';

export interface ActionRun {
  /** Newer runs sort before older ones. */
  readonly runId: string;
  readonly eventType: string;
  /** Empty for events of tags. */
  readonly branch: string;
  readonly commitId: string;
  readonly sourceRef: string;
  /** Year 1 when every hook was skipped. So is `end`. */
  readonly start: Date;
  /** Absent while it runs. */
  readonly end?: Date;
  readonly status: 'completed' | 'failed' | 'running';
  /** Of a run that repeats another: its id. */
  readonly repeats?: string;
}

export interface HookRunFacts {
  readonly hookRunId: string;
  readonly action: string;
  readonly hookId: string;
  /** Year 1 when it was skipped or has not begun. */
  readonly start: Date;
  /** Absent when it has not ended, or never began. */
  readonly end?: Date;
  readonly status: 'completed' | 'failed' | 'skipped' | 'running';
}

export interface RunFilter {
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
  /** Run id, exclusive. */
  readonly after?: string | undefined;
  /** 1 to 1000; absent: 100. */
  readonly amount?: number | undefined;
}

export interface ManualRun {
  /** Text of an action file. */
  readonly file: string;
  readonly event: EventType;
  /** Branch the example event is about; tags are created at its head. */
  readonly branch: string;
  readonly user: string;
  readonly committer: string;
}

/** Who has hooks of an ended run run again. */
export interface RepeatedRun {
  readonly user: string;
  readonly committer: string;
  /** That hook alone, whatever its condition says; absent: all that the event starts now. */
  readonly hookRunId?: string | undefined;
}

/** An event that does not happen. */
export interface RehearsedEvent extends Omit<EventRecord, 'runId' | 'repository' | 'storageNamespace' | 'storageId' | 'signal'> {}

/** All methods throw SrvError; an unknown repository is `not_found`. */
export interface ActionRuns {
  /** Runs that have ended, newest first. @throws SrvError `invalid` for both filters. */
  list(repository: string, filter?: RunFilter): Promise<Page<ActionRun>>;
  /** Also returns a run that is in progress. */
  get(repository: string, runId: string): Promise<ActionRun>;
  /** In the order of their ids; none for an unknown run. */
  hooks(repository: string, runId: string, page?: Pick<PageRequest, 'after' | 'amount'>): Promise<Page<HookRunFacts>>;
  /** What a hook has printed so far. @throws SrvError `not_found`, `no_data`. */
  output(repository: string, runId: string, hookRunId: string): Promise<Buffer>;
  /**
   * Runs the hooks of a file in the background, with an example event; returns the id of the run.
   * @throws SrvError `invalid` for a file with problems or one that the event does not start.
   */
  run(repository: string, request: ManualRun): Promise<string>;
  /**
   * Runs hooks of an ended run again in the background, with its event and the action files that its source ref has now.
   * Nothing else happens: an operation that the run refused stays refused.
   * @returns the id of the new run. @throws SrvError `conflict` while the run is in progress.
   */
  again(repository: string, runId: string, request: RepeatedRun): Promise<string>;
  /** Runs in the background what an event would start. @returns the id of the run; `undefined`: it starts nothing. */
  rehearse(repository: string, event: RehearsedEvent): Promise<string | undefined>;
  /** Runs of `pre-merge` of a commit into a branch, in progress or ended: the newest 100, newest first. */
  ofMerge(repository: string, sourceCommit: string, destination: string): Promise<readonly ActionRun[]>;
}

declare module '@srv/kernel' {
  interface Services {
    actions: ActionRuns;
  }
}
