/** The top of a bucket: branches, and tags where they are shown, each as the common prefix `<name>/`. */
import { isSrvError } from '@srv/kernel';
import type { Engine, Page } from '@srv/engine/contract';

interface RefListing {
  readonly repository: string;
  readonly prefix: string;
  /** Prefixes up to this text were seen. */
  readonly after: string;
  /** 1 to 1000. */
  readonly amount: number;
  readonly tags?: boolean;
}

/** Names of one kind, in byte order. */
interface Names {
  exists(name: string): Promise<boolean>;
  list(request: { prefix: string; after: string; amount: number }): Promise<Page<{ readonly id: string }>>;
}

/** Names in the order of `<name>/`: `main-1/` comes before `main/`, though `main` comes before `main-1`. */
export async function listRefPrefixes(engine: Engine, request: RefListing): Promise<Page<string>> {
  const { after, amount, tags = false } = request;
  const kinds = tags ? [branchesOf(engine, request), tagsOf(engine, request)] : [branchesOf(engine, request)];
  const results: string[] = [];
  for await (const name of merged(kinds.map(kind => inSlashOrder(namesFrom(kind, request))))) {
    if (compare(`${name}/`, after) <= 0) continue;
    if (results.length === amount) return { results, hasMore: true, nextOffset: `${results[amount - 1]}/` };
    results.push(name);
  }
  return { results, hasMore: false, nextOffset: '' };
}

/**
 * Reorders names that come in byte order. A name waits for those that continue it with a character that sorts before the
 * slash: in names of branches only the dash does, in those of tags others, too.
 */
export async function* inSlashOrder(names: AsyncIterable<string>): AsyncGenerator<string> {
  const waiting: string[] = [];
  for await (const name of names) {
    for (let last = waiting.at(-1); last !== undefined && !continues(name, last); last = waiting.at(-1)) {
      waiting.pop();
      yield last;
    }
    waiting.push(name);
  }
  yield* waiting.reverse();
}

function continues(name: string, start: string): boolean {
  return name.length > start.length && name.startsWith(start) && name.charAt(start.length) < '/';
}

/** Two orders made one; a branch hides the tag of its name. */
async function* merged(sources: readonly AsyncGenerator<string>[]): AsyncGenerator<string> {
  const heads = await Promise.all(sources.map(source => source.next()));
  for (;;) {
    const names = heads.flatMap(head => (head.done ? [] : [head.value]));
    const [first] = names.sort((a, b) => compare(`${a}/`, `${b}/`));
    if (first === undefined) return;
    yield first;
    for (const [i, source] of sources.entries()) {
      const head = heads[i];
      if (head && !head.done && head.value === first) heads[i] = await source.next();
    }
  }
}

/** Names that can come after `after`: those that sort after it, and those it continues with such a character. */
async function* namesFrom(names: Names, { prefix, after }: RefListing): AsyncGenerator<string> {
  const first = after.replace(/[!-/][\s\S]*$/, '');
  if (first !== '' && first.startsWith(prefix) && (await names.exists(first))) yield first;
  let from = first;
  for (let hasMore = true; hasMore; ) {
    const page = await names.list({ prefix, after: from, amount: 1000 });
    for (const { id } of page.results) yield id;
    ({ hasMore, nextOffset: from } = page);
  }
}

function branchesOf(engine: Engine, { repository }: RefListing): Names {
  return {
    exists: name => found(async () => !(await engine.getBranch(repository, name)).hidden),
    list: request => engine.listBranches(repository, request),
  };
}

function tagsOf(engine: Engine, { repository }: RefListing): Names {
  return {
    exists: name => found(async () => (await engine.getTag(repository, name)).id === name),
    list: request => engine.listTags(repository, request),
  };
}

async function found(look: () => Promise<boolean>): Promise<boolean> {
  try {
    return await look();
  } catch (error) {
    if (isSrvError(error, 'not_found', 'invalid')) return false;
    throw error;
  }
}

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
