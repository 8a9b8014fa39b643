/** What the plugin offers: rules, and the preparation for foreign collectors. */
import type { Rules } from './rules/rules.js';

export type { BranchRule, PatternRule, Rules, TagRetention } from './rules/rules.js';

/** Where a foreign collector finds the commits whose objects stay. */
export interface PreparedCommits {
  readonly runId: string;
  /** Full URI of a CSV file. */
  readonly commitsLocation: string;
  /** Full URI of a folder that only old collectors read. */
  readonly addressesLocation: string;
  /** Absent where the block store signs no URLs. */
  readonly commitsUrl?: string;
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
  readonly continuationToken?: string;
}

export interface GarbageCollection {
  /** @throws SrvError `not_found` when none are set. */
  getRules(repository: string): Promise<Rules>;
  /** @throws SrvError `invalid`, `read_only`. */
  setRules(repository: string, rules: Rules): Promise<void>;
  deleteRules(repository: string): Promise<void>;

  /** @throws SrvError `read_only`. Without rules every commit stays. */
  prepareCommits(repository: string): Promise<PreparedCommits>;
  submitPrepareCommits(repository: string): Promise<string>;
  prepareCommitsStatus(repository: string, id: string): Promise<PreparationStatus>;
  /** One page; call again with the token until there is none. */
  prepareUncommitted(repository: string, token?: string): Promise<PreparedUncommitted>;
}

declare module '@srv/kernel' {
  interface Services {
    gc: GarbageCollection;
  }
}
