/** Files that plugins keep beside the objects of branches (hook `collectFiles` of the engine). Under the lease of the run. */
import { SrvError } from '@srv/kernel';
import { pathKey } from '@srv/lib-records';
import { refuseOverlap } from '../mark/overlap.js';
import { commitIds, keptCommits, pinnedContent, presentMetaranges } from '../mark/references.js';
import { stagedOf } from '../mark/uncommitted.js';
import { sameRules } from '../rules/record.js';
import { RateLimiter } from '../sweep/rate-limiter.js';
import { removeGarbage } from '../sweep/remove-garbage.js';
import type { CollectedFile, FileCollection, KeptContent, Repository } from '@srv/engine/contract';
import type { MarkContext } from '../mark/context.js';
import type { Rules } from '../rules/rules.js';
import type { Lease } from '../run/lease.js';

interface FilesRequest {
  readonly repository: Repository;
  /** When the run began, and the time before which files may go. */
  readonly now: Date;
  readonly cutoff: Date;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  readonly dryRun: boolean;
  readonly runId: string;
  /** Folder of the namespace for files that can be brought back. */
  readonly quarantine: string | undefined;
  /** Files per second; 0: unlimited. */
  readonly rateLimit: number;
}

type Context = Pick<MarkContext, 'kv' | 'block' | 'engine' | 'rules' | 'hooks'>;

interface FilesFound {
  readonly otherFiles: number;
  readonly otherBytes: number;
  readonly problems: readonly string[];
}

export async function collectFiles(request: FilesRequest, context: Context): Promise<FilesFound> {
  const { hooks } = context.engine;
  if (!hooks.collectFiles.isUsed()) return { otherFiles: 0, otherBytes: 0, problems: [] };
  const { repository, cutoff, dryRun, signal } = request;
  const references = await References.open(request, context);
  const problems: string[] = [];
  const removal = new Removal(request, context, problem => void problems.push(problem));
  await hooks.collectFiles.promise({
    repository,
    cutoff,
    signal,
    kept: () => references.kept(),
    staged: prefix => staged(request, context, prefix),
    remove: (files, confirm) => (dryRun ? removal.count(files) : removal.remove(files, confirm)),
    report: problem => void problems.push(problem),
  } satisfies FileCollection);
  return { otherFiles: removal.files, otherBytes: removal.bytes, problems };
}

/** What stays. Commits that the rules keep are read once, what has moved since each time. */
class References {
  readonly #request: FilesRequest;
  readonly #context: Context;
  readonly #rules: Rules | undefined;
  readonly #before: ReadonlySet<string>;
  readonly #known = new Map<string, string>();
  readonly #metaranges = new Set<string>();
  #isComplete = false;

  private constructor(request: FilesRequest, context: Context, rules: Rules | undefined, before: ReadonlySet<string>) {
    this.#request = request;
    this.#context = context;
    this.#rules = rules;
    this.#before = before;
  }

  static async open(request: FilesRequest, context: Context): Promise<References> {
    const { repository } = request;
    return new References(request, context, await context.rules.find(repository), await commitIds(context.kv, repository));
  }

  async kept(): Promise<KeptContent> {
    const { repository, now } = this.#request;
    const context = this.#context;
    const rules = await context.rules.find(repository);
    if (!sameRules(rules, this.#rules))
      throw new SrvError('conflict', 'the retention rules were changed while files were collected; start the run again');
    const all = this.#isComplete
      ? await presentMetaranges(repository, rules, this.#known, context)
      : (await keptCommits({ repository, rules, now, before: this.#before }, context)).metaranges;
    this.#isComplete = true;
    const pinned = await pinnedContent(repository, context);
    for (const id of [...all, ...pinned.metaranges]) if (id !== '') this.#metaranges.add(id);
    return { metaranges: this.#metaranges, addresses: pinned.addresses };
  }
}

async function* staged({ repository, signal }: FilesRequest, { kv }: Context, prefix: string): ReturnType<FileCollection['staged']> {
  const start = pathKey(prefix);
  for await (const rows of stagedOf(repository, { kv, signal, start })) {
    const own = rows.flatMap(({ key, entry }) =>
      entry && key.subarray(0, start.length).equals(start) ? [{ path: key.toString('utf8'), ...entry }] : [],
    );
    if (own.length > 0) yield own;
  }
}

/** Removes what has been found, and counts it. */
class Removal {
  readonly #request: FilesRequest;
  readonly #context: Context;
  readonly #report: (problem: string) => void;
  readonly #limiter: RateLimiter;
  files = 0;
  bytes = 0;

  constructor(request: FilesRequest, context: Context, report: (problem: string) => void) {
    this.#request = request;
    this.#context = context;
    this.#report = report;
    this.#limiter = new RateLimiter(request.rateLimit);
  }

  async count(files: readonly CollectedFile[]): Promise<void> {
    this.files += files.length;
    for (const { size } of files) this.bytes += size;
  }

  async remove(files: readonly CollectedFile[], confirm: () => Promise<readonly CollectedFile[]>): Promise<void> {
    const { repository, lease } = this.#request;
    const { block, engine } = this.#context;
    if (files.length === 0) return;
    const { garbage, result } = await lease.inBatch(async () => {
      await refuseOverlap(block, repository, engine.repositories(''));
      const garbage = await confirm();
      const keys = garbage.map(({ key }) => key);
      return { garbage, result: await removeGarbage(keys, this.#request, this.#limiter, this.#context) };
    });
    const removed = new Set(result.removed);
    await this.count(garbage.filter(({ key }) => removed.has(key)));
    const [failure] = result.failed;
    if (failure)
      this.#report(
        `${result.failed.length} files could not be removed, such as ${failure.key}: ${failure.error}; the next run tries again`,
      );
  }
}
