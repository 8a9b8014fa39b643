/**
 * Finds out at start where the repositories of the database keep their metadata: the database may be that of an installation
 * with another folder. Reads and writes find the folder of each repository without this check; it makes sure that new
 * repositories and commits do not go to another folder when none was found.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SrvError, messageOf } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import type { Logger } from '@srv/kernel';
import type { CommittedStore } from '../tables/contract.js';
import type { Repository } from './contract.js';
import type { Refs } from './service.js';

interface AdoptionOptions {
  readonly refs: Refs;
  readonly committed: CommittedStore;
  readonly log: Logger;
  /** Whether `committed.block_storage_prefix` is set: then the operator has decided. */
  readonly isConfigured: boolean;
  /** Time limit in milliseconds; repositories not reached are judged when they are used. Default: 10000. */
  readonly timeout?: number;
}

/** Repositories that are examined; the others are judged when they are used. */
const maxRepositories = 100;
const parallel = 8;

interface Findings {
  /** Folders that repositories use. */
  readonly folders: Set<string>;
  /** Repositories with commits whose metadata is in no known folder. */
  readonly lost: Repository[];
  /** The storage of a repository did not answer. */
  isIncomplete: boolean;
}

/**
 * New repositories use the folder of the existing ones, unless it is configured. If no storage answers, it is decided when
 * a repository is created.
 * @throws SrvError `config` when the folder is not configured and no repository shows where its commits are.
 */
export async function adoptInstallation(options: AdoptionOptions): Promise<void> {
  const { committed, log, isConfigured } = options;
  const findings = await look(options);
  if (!isConfigured && isUndecided(findings)) {
    log.warn({}, 'no storage shows where this installation keeps its metadata: it is asked again before a repository is created');
    committed.useFolder(async () => {
      const later = await look(options);
      if (isUndecided(later)) throw unanswered();
      return folderOf(later, options);
    });
    return;
  }
  const folder = folderOf(findings, options);
  if (folder === committed.prefix) return;
  committed.useFolder(folder);
  log.info({ folder }, 'new repositories use the metadata folder of the existing ones');
}

/** @throws SrvError `config` as {@link adoptInstallation}. */
function folderOf({ folders, lost }: Findings, { committed, log, isConfigured }: AdoptionOptions): string {
  const [first] = lost;
  if (first !== undefined && folders.size === 0 && !isConfigured) throw undecided(first);
  for (const { id, storageNamespace } of lost)
    log.error({ repository: id, storage_namespace: storageNamespace }, 'the metadata of a repository is in no known folder of its storage');
  const [folder, ...others] = folders;
  return isConfigured || folder === undefined || others.length > 0 ? committed.prefix : folder;
}

function isUndecided({ folders, lost, isIncomplete }: Findings): boolean {
  return isIncomplete && folders.size === 0 && lost.length === 0;
}

/** What the storage of the repositories shows until the time is up. */
async function look({ refs, committed, log, timeout = 10_000 }: AdoptionOptions): Promise<Findings> {
  const findings: Findings = { folders: new Set(), lost: [], isIncomplete: false };
  const ended = new AbortController();
  const time = sleep(timeout, 'late' as const, { signal: ended.signal }).catch(() => undefined);
  const outcome = await Promise.race([judgeAll(refs, committed, log, findings, ended.signal), time]);
  ended.abort();
  if (outcome === 'late') {
    log.warn({ timeout_ms: timeout }, 'the storage of repositories answers slowly: their metadata folders are found later');
    findings.isIncomplete = true;
  }
  return findings;
}

async function judgeAll(refs: Refs, committed: CommittedStore, log: Logger, findings: Findings, signal: AbortSignal): Promise<void> {
  const repositories: Repository[] = [];
  for await (const repository of refs.repositories('')) {
    if (repositories.length === maxRepositories) break;
    repositories.push(repository);
  }
  const rest = repositories.values();
  const judge = async (): Promise<void> => {
    for (const repository of rest) {
      if (signal.aborted) return;
      try {
        const metarangeId = await headMetarange(refs, repository);
        const folder = await committed.findFolder(namespaceOf(repository), metarangeId);
        if (folder !== undefined) findings.folders.add(folder);
        else if (metarangeId !== '') findings.lost.push(repository);
      } catch (error) {
        findings.isIncomplete = true;
        log.warn({ repository: repository.id, error: messageOf(error) }, 'cannot search for the metadata folder of a repository');
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, judge));
}

/** Of the default branch; `''` where nothing is committed. */
async function headMetarange(refs: Refs, repository: Repository): Promise<string> {
  const branches = await refs.listBranches(repository, { amount: 1 });
  const branch = await refs.getBranch(repository, repository.defaultBranch).catch(() => branches.results[0]);
  if (branch === undefined || branch.commitId === '') return '';
  return (await refs.getCommit(repository, branch.commitId)).metarangeId;
}

function undecided({ id, storageNamespace }: Repository): SrvError {
  return new SrvError(
    'config',
    `committed.block_storage_prefix: the commits of repository ${id} are in no known folder of ${storageNamespace}, and no other ` +
      'repository shows where this installation keeps them; set committed.block_storage_prefix to the folder the installation was ' +
      'written with (_lakefs for most), or to _srv if these repositories have lost their metadata',
  );
}

function unanswered(): SrvError {
  return new SrvError(
    'unavailable',
    'the storage of the existing repositories does not answer, and only it shows which metadata folder a new one has to use; ' +
      'try again, or set committed.block_storage_prefix (_lakefs for an installation that lakeFS wrote, else _srv)',
  );
}
