/** Runs of actions, for other plugins. */

import type { Page } from '@srv/engine/contract';
import type { EventType } from '@srv/kernel';

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
  readonly branch?: string;
  readonly commit?: string;
  /** Run id, exclusive. */
  readonly after?: string;
  /** 1 to 1000; absent: 100. */
  readonly amount?: number;
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

/** All methods throw SrvError; an unknown repository is `not_found`. */
export interface ActionRuns {
  /** Runs that have ended, newest first. @throws SrvError `invalid` for both filters. */
  list(repository: string, filter?: RunFilter): Promise<Page<ActionRun>>;
  /** Also returns a run that is in progress. */
  get(repository: string, runId: string): Promise<ActionRun>;
  /** In the order of their ids; none for an unknown run. */
  hooks(repository: string, runId: string, page?: { readonly after?: string; readonly amount?: number }): Promise<Page<HookRunFacts>>;
  /** What a hook has printed so far. @throws SrvError `not_found`, `no_data`. */
  output(repository: string, runId: string, hookRunId: string): Promise<Buffer>;
  /**
   * Runs the hooks of a file in the background, with an example event; returns the id of the run.
   * @throws SrvError `invalid` for a file with problems or one that the event does not start.
   */
  run(repository: string, request: ManualRun): Promise<string>;
}

declare module '@srv/kernel' {
  interface Services {
    actions: ActionRuns;
  }
}
