/** What a method gets. */
import { isSrvError } from '@srv/kernel';
import { objectArn, repositoryArn } from '@srv/lib-api';
import { DavError } from './errors.js';
import { Tree } from './tree.js';
import type { IncomingMessage } from 'node:http';
import type { Engine, Repository } from '@srv/engine/contract';
import type { HttpResponse } from '@srv/http/contract';
import type { Activity, Identity, KvStore, Logger, Permission } from '@srv/kernel';
import type { FaceRequest } from '@srv/lib-api/http';
import type { BlockStore } from '@srv/lib-stores/block';
import type { LockStore } from './locks/lock-store.js';
import type { Scratch } from './scratch.js';
import type { ResourceTarget, Target } from './target.js';

interface DavSettings {
  /** The folder of a repository shows tags, too. */
  readonly listTags: boolean;
  /** Members of a folder in a listing. */
  readonly maxListing: number;
  /** Patterns of names that are kept outside of the branch. */
  readonly ignore: readonly string[];
}

export interface DavParts {
  readonly engine: Engine;
  readonly identity: Identity;
  readonly block: BlockStore;
  readonly kv: KvStore;
  readonly log: Logger;
  /** For statistics and usage reports. */
  readonly count: (activity: Activity) => void;
  readonly settings: DavSettings;
}

export interface DavContext extends DavParts {
  readonly face: FaceRequest;
  readonly request: IncomingMessage;
  readonly target: Target;
  readonly locks: LockStore;
  readonly scratch: Scratch;
  /** One value of a header. */
  header(name: string): string | undefined;
  /** The tree of a ref. @throws DavError 404 without the repository. */
  tree(target: Pick<ResourceTarget, 'repository' | 'ref'>): Promise<Tree>;
}

/** A method on something in a ref. */
export interface ResourceContext extends DavContext {
  readonly target: ResourceTarget;
}

export type DavMethod<C = DavContext> = (context: C) => Promise<HttpResponse>;

/** @throws DavError 404. */
export async function findRepository(engine: Engine, id: string): Promise<Repository> {
  try {
    return await engine.getRepository(id);
  } catch (error) {
    if (isSrvError(error, 'not_found', 'invalid', 'gone')) throw new DavError(404, `there is no repository ${id}`, { cause: error });
    throw error;
  }
}

export const openTree = async (
  parts: Pick<DavParts, 'engine'> & { scratch: Scratch },
  target: { repository: string; ref: string },
  user: string,
) =>
  new Tree({
    engine: parts.engine,
    scratch: parts.scratch,
    repository: await findRepository(parts.engine, target.repository),
    ref: target.ref,
    user,
  });

/** Enough to learn that something exists at a path, and what it is. */
export const maySee = (repository: string, path: string): Permission => ({
  any: [mayList(repository), { action: 'fs:ReadObject', resource: objectArn(repository, path) }],
});

export const mayList = (repository: string): Permission => ({ action: 'fs:ListObjects', resource: repositoryArn(repository) });

/** @param action `fs:ReadObject`, `fs:WriteObject` or `fs:DeleteObject`. */
export const mayObject = (action: string, repository: string, path: string): Permission => ({
  action,
  resource: objectArn(repository, path),
});

/** @throws DavError 405 for what is not in a ref: repositories and branches are made by the HTTP API and the command line. */
export function inRef<C extends DavContext>(context: C): C & ResourceContext {
  const { target } = context;
  if (target.kind !== 'resource')
    throw new DavError(403, 'repositories and branches cannot be changed here; use the command line, the web page or the HTTP API');
  return context as C & ResourceContext;
}
