/** A server of one repository in memory, and contexts in which commands of `local` work with it. */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { owned } from '@srv/engine/transfer';
import { Config } from '@srv/kernel';
import { fakeContext, page, refusal } from '@srv/lib-commands/testing';
import type { Stats } from 'node:fs';
import type { CommandContext, CommandInput } from '@srv/lib-commands';

interface StoredObject {
  readonly content: string;
  /** Unix seconds. */
  readonly mtime: number;
  readonly metadata: Readonly<Record<string, string>>;
}

type Tree = ReadonlyMap<string, StoredObject>;

interface Commit {
  readonly id: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly parents: readonly string[];
  readonly tree: Tree;
}

interface Place {
  readonly repository: string;
  readonly path: string;
}

export const md5 = (content: string): string => createHash('md5').update(content).digest('hex');

/** Objects before all files of the tests, so that times give nothing away. */
const longAgo = 1_000_000_000;

export class ModelServer {
  readonly commits = new Map<string, Commit>();
  readonly branches = new Map<string, { head: string; staged: Map<string, StoredObject | undefined> }>();
  /** Operations in the order of their calls. */
  readonly calls: string[] = [];
  /** False: `If-Match` answers 501, as in servers that know no such condition. */
  conditional = true;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.commits.set('c0', { id: 'c0', message: 'first', metadata: {}, parents: [], tree: new Map() });
    this.branches.set('main', { head: 'c0', staged: new Map() });
    if (Object.keys(files).length > 0) this.change(files);
  }

  /** Commits changes of another user. @returns the commit. */
  change(files: Readonly<Record<string, string | undefined>>, branch = 'main'): string {
    this.stage(files, branch);
    return this.commit('of others', {}, branch).id;
  }

  stage(files: Readonly<Record<string, string | undefined>>, branch = 'main'): void {
    for (const [path, content] of Object.entries(files))
      this.#branch(branch).staged.set(path, content === undefined ? undefined : { content, mtime: longAgo, metadata: {} });
  }

  commit(message: string, metadata: Readonly<Record<string, string>>, name: string): Commit {
    const branch = this.#branch(name);
    const commit = { id: `c${this.commits.size}`, message, metadata, parents: [branch.head], tree: this.tree(name) };
    this.commits.set(commit.id, commit);
    branch.head = commit.id;
    branch.staged = new Map();
    return commit;
  }

  /** Of a commit, or a branch with its uncommitted changes. */
  tree(ref: string): Tree {
    const branch = this.branches.get(ref);
    const tree = new Map(this.commits.get(branch?.head ?? ref)?.tree ?? this.#none(ref));
    for (const [path, object] of branch?.staged ?? []) {
      if (object) tree.set(path, object);
      else tree.delete(path);
    }
    return tree;
  }

  /** Contents by path, as committed. */
  committed(branch = 'main', prefix = ''): Record<string, string> {
    return contents(this.commits.get(this.#branch(branch).head)?.tree ?? new Map(), prefix);
  }

  head(branch = 'main'): string {
    return this.#branch(branch).head;
  }

  /** Paths with uncommitted changes. */
  uncommitted(name: string): string[] {
    const { head, staged } = this.#branch(name);
    const tree = this.commits.get(head)?.tree;
    return [...staged]
      .filter(([path, object]) => tree?.get(path)?.content !== object?.content)
      .map(([path]) => path)
      .sort(byBytes);
  }

  /** Answers by operation, as a client gives them. */
  answers(): Readonly<Record<string, (input: never, options: never) => unknown>> {
    const record = ({ tree: _, ...commit }: Commit) => ({ ...commit, committer: 'ann', creation_date: 0, meta_range_id: 'm' });
    return {
      getConfig: () => ({ storage_config: { pre_sign_support: false } }),
      getCommit: ({ commitId }: { commitId: string }) =>
        record(this.commits.get(this.branches.get(commitId)?.head ?? commitId) ?? this.#none(commitId)),
      getBranch: ({ branch }: { branch: string }) => ({ id: branch, commit_id: this.#branch(branch).head }),
      listObjects: ({ ref, prefix, after = '', amount }: { ref: string; prefix: string; after?: string; amount: number }) => {
        const found = [...this.tree(ref)].filter(([path]) => path.startsWith(prefix)).sort(([a], [b]) => byBytes(a, b));
        const rest = found.filter(([path]) => byBytes(path, after) > 0);
        const results = rest.slice(0, Math.min(amount, 3)).map(([path, object]) => stats(path, object));
        return { results, pagination: { has_more: rest.length > results.length, next_offset: results.at(-1)?.path ?? '' } };
      },
      statObject: ({ ref, path }: Place & { ref: string }) => stats(path, this.tree(ref).get(path) ?? this.#none(path)),
      getObject: ({ ref, path }: Place & { ref: string }) => {
        const { content } = this.tree(ref).get(path) ?? this.#none(path);
        return {
          headers: { 'content-length': String(Buffer.byteLength(content)), etag: `"${md5(content)}"` },
          body: Readable.from([Buffer.from(content)]),
        };
      },
      uploadObject: async (
        input: Place & { branch: string; body: Buffer | (() => Readable); 'If-Match'?: string; 'If-None-Match'?: string },
        { headers }: { headers: Record<string, string> },
      ) => {
        const content = (Buffer.isBuffer(input.body) ? input.body : await buffer(input.body())).toString();
        const there = this.tree(input.branch).get(input.path);
        const expected = input['If-Match'];
        if (expected !== undefined && !this.conditional) throw refusal(501, 'Not Implemented');
        if (expected === undefined ? input['If-None-Match'] !== undefined && there !== undefined : md5(there?.content ?? '') !== expected)
          throw refusal(412, 'path condition not met');
        const metadata = Object.fromEntries(
          Object.entries(headers).flatMap(([name, value]) => {
            const key = /^x-lakefs-internal-(.*)$/.exec(name)?.[1];
            return key === undefined ? [] : [[`::lakefs::${key}`, value]];
          }),
        );
        const object = { content, mtime: longAgo, metadata };
        this.#branch(input.branch).staged.set(input.path, object);
        return stats(input.path, object);
      },
      copyObject: ({ branch, dest_path, body }: { branch: string; dest_path: string; body: { src_path: string; src_ref: string } }) => {
        const object = this.tree(body.src_ref).get(body.src_path) ?? this.#none(body.src_path);
        this.#branch(branch).staged.set(dest_path, object);
        return stats(dest_path, object);
      },
      updateObjectUserMetadata: ({ branch, path, body }: Place & { branch: string; body: { set: Record<string, string> } }) => {
        const object = this.tree(branch).get(path) ?? this.#none(path);
        this.#branch(branch).staged.set(path, { ...object, metadata: body.set });
      },
      deleteObject: ({ branch, path }: Place & { branch: string }) => void this.#branch(branch).staged.set(path, undefined),
      diffBranch: ({ branch, prefix = '', after = '', amount }: { branch: string; prefix?: string; after?: string; amount: number }) =>
        page(
          this.uncommitted(branch)
            .filter(path => path.startsWith(prefix) && byBytes(path, after) > 0)
            .slice(0, amount)
            .map(path => ({ type: 'changed', path, path_type: 'object' })),
        ),
      commit: ({ branch, body }: { branch: string; body: { message: string; metadata: Record<string, string> } }) => {
        if (this.uncommitted(branch).length === 0) throw refusal(400, 'commit: no changes');
        return record(this.commit(body.message, body.metadata, branch));
      },
    };
  }

  #branch(name: string) {
    return this.branches.get(name) ?? this.#none(name);
  }

  #none(name: string): never {
    throw refusal(404, `${name} not found`);
  }
}

function stats(path: string, { content, mtime, metadata }: StoredObject) {
  return {
    path,
    path_type: 'object',
    physical_address: 'x',
    checksum: md5(content),
    size_bytes: Buffer.byteLength(content),
    mtime,
    metadata,
  };
}

export const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

export function contents(tree: Tree, prefix = ''): Record<string, string> {
  return Object.fromEntries(
    [...tree]
      .filter(([path]) => path.startsWith(prefix) && path !== prefix)
      .map(([path, { content }]) => [path.slice(prefix.length), content]),
  );
}

/** Stops everything for good at one of its points, as a killed process does: nothing is cleaned up. */
export class Breaker {
  readonly #at: number;
  /** Names of the points passed. */
  readonly passed: string[] = [];
  #stop: (name: string) => void = () => {};
  readonly stopped = new Promise<string>(resolve => {
    this.#stop = resolve;
  });

  #abandon: () => void = () => {};

  constructor(at = Number.POSITIVE_INFINITY) {
    this.#at = at;
  }

  /** Lets what was stopped come to its end, so that nothing of it keeps the process of the test. */
  abandon(): void {
    this.#abandon();
  }

  readonly point = async (name: string): Promise<void> => {
    this.passed.push(name);
    if (this.passed.length < this.#at) return;
    // The locks of a process that is gone hold nothing.
    owned.clear();
    this.#stop(name);
    await new Promise((_, reject) => {
      const before = this.#abandon;
      this.#abandon = () => {
        before();
        reject(new Error('the process is gone'));
      };
    });
  };
}

export interface LocalContextOptions {
  readonly breaker?: Breaker;
  readonly home?: string;
  /** Settings by key. */
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly changes?: Partial<CommandContext>;
}

interface LocalContext {
  readonly context: CommandContext;
  readonly told: readonly string[];
}

export async function localContext(
  server: ModelServer,
  { breaker, home = '/nowhere', flags = {}, changes = {} }: LocalContextOptions = {},
): Promise<LocalContext> {
  const answers = server.answers();
  const fake = fakeContext({}, { home, ...changes });
  const client = new Proxy(
    {},
    {
      get: (_target, name) => {
        if (name === 'then' || typeof name === 'symbol') return undefined;
        return async (input: never, options: never) => {
          const answer = answers[name];
          if (!answer) throw new Error(`no answer for ${name}`);
          await breaker?.point(`before ${name}`);
          server.calls.push(name);
          const result = await answer(input, options);
          await breaker?.point(`after ${name}`);
          return result;
        };
      },
    },
  ) as Awaited<ReturnType<CommandContext['client']>>;
  const configuration: CommandContext['configuration'] = {
    ...fake.context.configuration,
    read: async section => {
      const entries = Object.entries(flags).flatMap(([key, raw]) => (key in section.keys ? [{ key, raw, source: 'test' }] : []));
      return Config.create([section], entries).values(section.keys);
    },
  };
  return { context: { ...fake.context, configuration, client: async () => client, ...changes }, told: fake.told };
}

export function input(args: readonly string[], options: CommandInput['options'] = {}): CommandInput {
  return { args, options: { message: 'm', yes: true, gitignore: false, ...options } };
}

/** Contents of the files below a folder by path, without the index and unfinished files. */
export function onDisk(folder: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = below + entry.name;
    if (entry.isDirectory()) Object.assign(found, onDisk(folder, `${path}/`));
    else if (entry.isFile() && !entry.name.startsWith('.srv_ref.')) found[path] = readFileSync(join(folder, path), 'utf8');
  }
  return found;
}

function kindAt(place: string): Stats | undefined {
  try {
    return lstatSync(place);
  } catch {
    return undefined;
  }
}

/** Writes files, or removes them. A file gives way to a folder and the reverse. */
export function edit(folder: string, files: Readonly<Record<string, string | undefined>>): void {
  for (const [path, content] of Object.entries(files)) {
    const place = join(folder, path);
    if (content === undefined) {
      if (kindAt(place)?.isFile()) rmSync(place);
      continue;
    }
    for (let at = dirname(place); at.length > folder.length; at = dirname(at)) if (kindAt(at)?.isFile()) rmSync(at);
    if (kindAt(place)?.isDirectory()) rmSync(place, { recursive: true });
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content);
  }
}
