/** What the plugin offers: rules, the preparation for foreign collectors, and runs of the built-in collector. */
import type { Page, PageRequest } from '@srv/engine/contract';
import type { ObjectRule } from './lifecycle/object-rules.js';
import type { BranchPolicy } from './lifecycle/policies.js';
import type { StoredSettings } from './lifecycle/settings.js';
import type { Rules } from './rules/rules.js';

export type { GcBatch, GcBatchResult, GcPlan } from './collection.js';
export type { ObjectRule } from './lifecycle/object-rules.js';
export type { BranchPolicy } from './lifecycle/policies.js';
export type { StoredSettings } from './lifecycle/settings.js';
export type { BranchRule, PatternRule, Rules, TagRetention } from './rules/rules.js';

/** Where a foreign collector finds the commits whose objects stay. */
export interface PreparedCommits {
  readonly runId: string;
  /** Full URI of a CSV file. */
  readonly commitsLocation: string;
  /** Full URI of a folder that only old collectors read. */
  readonly addressesLocation: string;
  /** Absent where the block store signs no URLs. */
  readonly commitsUrl?: string | undefined;
}

export interface PreparationStatus {
  readonly id: string;
  readonly done: boolean;
  readonly updatedAt: Date;
  readonly error?: string;
  readonly result?: PreparedCommits;
}

/** Where a foreign collector finds the addresses of uncommitted objects. */
export interface PreparedUncommitted {
  readonly runId: string;
  /** Full URI of a folder; empty while no page of the run has found anything. */
  readonly location: string;
  /** Absent after the last page. */
  readonly continuationToken?: string | undefined;
}

export type RunPhase = 'marking' | 'marked' | 'sweeping' | 'done' | 'failed' | 'cancelled';

/** One run of the built-in collector. */
export interface Run {
  readonly id: string;
  readonly phase: RunPhase;
  readonly startedAt: Date;
  readonly updatedAt: Date;
  /** Objects younger than this stay. */
  readonly cutoff: Date;
  /** Nothing is deleted. */
  readonly dryRun: boolean;
  /** Days that collected objects can be restored; 0: they are deleted at once. */
  readonly quarantineDays: number;
  /** Objects looked at. */
  readonly listed: number;
  /** Objects that something refers to. */
  readonly kept: number;
  /** Objects too young to be judged. */
  readonly young: number;
  /** Objects to be collected, and their bytes. */
  readonly candidates: number;
  readonly candidateBytes: number;
  /** Candidates dealt with so far. */
  readonly swept: number;
  readonly deleted: number;
  readonly deletedBytes: number;
  /** Candidates that something refers to by now. */
  readonly spared: number;
  readonly failures: number;
  /** Metadata files that nothing names; a dry run only counts them. */
  readonly metadataFiles: number;
  /** Abandoned multipart uploads that were ended. */
  readonly abortedUploads: number;
  /** Files of old runs that were removed. */
  readonly oldReports: number;
  /** Files that plugins keep beside objects and that nothing needs, and their bytes; a dry run only counts them. */
  readonly otherFiles: number;
  readonly otherBytes: number;
  readonly error?: string;
}

export interface RunRequest {
  /** `run`: mark and sweep; `mark`: leave the sweep to a later call; `dry_run`: only count. */
  readonly mode: 'run' | 'mark' | 'dry_run';
  readonly quarantineDays?: number | undefined;
  /** Continue although the share of garbage is suspiciously high. */
  readonly force?: boolean;
}

/** Why an object stays, or why it would go. */
export interface Explanation {
  /** Relative to the namespace. */
  readonly address: string;
  readonly exists: boolean;
  readonly size?: number | undefined;
  readonly lastModified?: Date | undefined;
  /** A sentence each; empty: nothing keeps it. */
  readonly keptBy: readonly string[];
  /** Run that collected it. */
  readonly collectedBy?: string | undefined;
}

export interface TaggedRules {
  readonly rules: Rules;
  /** Names this state of the rules. */
  readonly etag: string;
}

export interface GarbageCollection {
  /** @throws SrvError `not_found` when none are set. */
  getRules(repository: string): Promise<TaggedRules>;
  /**
   * @param ifMatch ETag of the rules to replace, empty for none.
   * @throws SrvError `invalid`, `read_only`, `precondition_failed` when other rules are set, `moving` while the repository moves.
   */
  setRules(repository: string, rules: Rules, ifMatch?: string): Promise<void>;
  deleteRules(repository: string): Promise<void>;

  /** @param name what a foreign collector says it is. @throws SrvError `invalid` for one that would delete uploads under way. */
  checkClient(name: string | undefined): void;
  /** @throws SrvError `read_only`. Without rules every commit stays. */
  prepareCommits(repository: string): Promise<PreparedCommits>;
  submitPrepareCommits(repository: string): Promise<string>;
  prepareCommitsStatus(repository: string, id: string): Promise<PreparationStatus>;
  /** One page; call again with the token until none is returned. */
  prepareUncommitted(repository: string, token?: string): Promise<PreparedUncommitted>;

  /** Begins a run and returns its id. @throws SrvError `conflict` while another one is under way. */
  start(repository: string, request: RunRequest): Promise<string>;
  /** Sweeps what an earlier run marked, after checking all of it again. */
  sweep(repository: string, run: string, request?: Pick<RunRequest, 'quarantineDays' | 'force'>): Promise<string>;
  getRun(repository: string, run: string): Promise<Run>;
  /** Newest first. */
  listRuns(repository: string, request?: Pick<PageRequest, 'after' | 'amount'>): Promise<Page<Run>>;
  cancel(repository: string, run: string): Promise<void>;
  /** Addresses a run collects. */
  candidates(repository: string, run: string, request?: Pick<PageRequest, 'after' | 'amount'>): Promise<Page<string>>;
  /** Puts quarantined objects back; returns how many. */
  restore(repository: string, run: string, prefix?: string): Promise<number>;
  explain(repository: string, address: string): Promise<Explanation>;
  /** Removes everything below the namespace of a deleted repository; returns how many objects went. */
  purge(storageNamespace: string, storageId?: string): Promise<number>;
}

/** One thing that a run of the lifecycle did, or would do. */
export interface LifecycleAction {
  readonly kind: 'branch_deleted' | 'objects_deleted' | 'skipped';
  readonly branch: string;
  /** Ids of the policies or rules; a policy may have none. */
  readonly rules?: readonly string[] | undefined;
  /** Last head of a deleted branch, or the commit that removes objects. */
  readonly commitId?: string | undefined;
  readonly objects?: number;
  /** Why it was not done. */
  readonly reason?: string;
}

export interface LifecycleRun {
  readonly id: string;
  readonly phase: 'running' | 'done' | 'failed';
  readonly dryRun: boolean;
  /** Who asked; `lifecycle` for a scheduled run. */
  readonly user: string;
  readonly startedAt: Date;
  readonly endedAt?: Date | undefined;
  /** Deleted ones. */
  readonly branches: number;
  /** Removed ones. */
  readonly objects: number;
  readonly skipped: number;
  /** The first 500. */
  readonly actions: readonly LifecycleAction[];
  readonly error?: string;
}

/** Policies that delete branches and rules that expire objects. */
export interface Lifecycle {
  getBranchPolicies(repository: string): Promise<StoredSettings<BranchPolicy>>;
  /** @param ifMatch the ETag that must be stored. @throws SrvError `invalid`, `read_only`, `precondition_failed`. */
  setBranchPolicies(repository: string, policies: readonly BranchPolicy[], ifMatch?: string): Promise<StoredSettings<BranchPolicy>>;
  deleteBranchPolicies(repository: string): Promise<void>;
  getObjectRules(repository: string): Promise<StoredSettings<ObjectRule>>;
  setObjectRules(repository: string, rules: readonly ObjectRule[], ifMatch?: string): Promise<StoredSettings<ObjectRule>>;
  deleteObjectRules(repository: string): Promise<void>;
  /** Begins a run and returns its id. @throws SrvError `conflict` while another run of any kind is under way. */
  start(repository: string, request: { readonly dryRun: boolean; readonly user: string }): Promise<string>;
  getRun(repository: string, run: string): Promise<LifecycleRun>;
  /** Newest first. */
  listRuns(repository: string, request?: Pick<PageRequest, 'after' | 'amount'>): Promise<Page<LifecycleRun>>;
}

declare module '@srv/kernel' {
  interface Services {
    gc: GarbageCollection;
    lifecycle: Lifecycle;
  }
}
