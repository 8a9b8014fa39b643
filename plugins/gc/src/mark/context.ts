/** What finding out and removing garbage works with. */

import type { CommittedStore, Engine, Repository } from '@srv/engine/contract';
import type { Hooks, KvStore, Logger } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { StoredRules } from '../rules/stored-rules.js';
import type { Sorting } from '../worker/sorter.js';

export interface MarkContext {
  readonly kv: KvStore;
  readonly block: BlockStore;
  readonly committed: CommittedStore;
  readonly engine: Engine;
  readonly rules: StoredRules;
  readonly hooks: Pick<Hooks, 'gcPlan' | 'gcSweep' | 'guardPurge'>;
  readonly log: Logger;
  readonly sorter: Sorting;
  /** Folder of lists that later runs use again. */
  readonly cacheDir: string;
}

/** One run over one repository. */
export interface MarkRequest {
  readonly repository: Repository;
  readonly runId: string;
  /** When the run began. */
  readonly now: Date;
  readonly cutoff: Date;
  /** Folder of the run's own files. */
  readonly folder: string;
  readonly signal: AbortSignal;
}
