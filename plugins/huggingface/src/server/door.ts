/** A request to the Hub API: route, caller, answer. */
import { isSrvError } from '@srv/kernel';
import { FaceRequest, authorizationCredentials, clientName, keyPair } from '@srv/lib-api/http';
import { DailyCleaner, workThrough } from '@srv/lib-records';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import { Names, isRepoType, segmentsOf } from './address.js';
import { HubError } from './errors.js';
import { PartialFiles } from './lfs/partial-files.js';
import { receive } from './lfs/receive.js';
import { Uploads } from './lfs/record.js';
import { batch, verify } from './lfs/routes.js';
import { uploadPrefix, xetPrefix } from './namespace.js';
import { notOffered } from './not-offered.js';
import { commit, preupload } from './routes/commit.js';
import { branch, commits, refs, tag } from './routes/refs.js';
import { authCheck, createRepo, deleteRepo, listRepos, nameOf, repoInfo, validateYaml, whoami } from './routes/repos.js';
import { resolve } from './routes/resolve.js';
import { pathsInfo, tree } from './routes/trees.js';
import { Xorbs } from './xet/record.js';
import { receiveXet, writeToken } from './xet/routes.js';
import type { Repository } from '@srv/engine/contract';
import type { HttpResponse, RawExchange } from '@srv/http/contract';
import type { Credentials } from '@srv/kernel';
import type { HubRepo } from './address.js';
import type { HubContext, HubParts, RepoRoute, Route } from './context.js';

interface RepoMatch {
  /** For audit lines and metrics. */
  readonly name: string;
  readonly repo: HubRepo;
  readonly rest: readonly string[];
  readonly route: RepoRoute;
}

/** By method and the word after the name of the repository. */
const repoRoutes: Readonly<Record<string, RepoRoute>> = {
  'GET ': repoInfo,
  'GET revision': repoInfo,
  'GET tree': tree,
  'POST paths-info': pathsInfo,
  'GET refs': refs,
  'GET commits': commits,
  'POST branch': branch,
  'DELETE branch': branch,
  'POST tag': tag,
  'DELETE tag': tag,
  'POST preupload': preupload,
  'POST commit': commit,
  'GET xet-write-token': writeToken,
  'GET auth-check': authCheck,
};

const routes: Readonly<Record<string, Route>> = {
  'GET api/whoami-v2': whoami,
  'POST api/repos/create': createRepo,
  'DELETE api/repos/delete': deleteRepo,
  'GET api/models': listRepos('models'),
  'GET api/datasets': listRepos('datasets'),
  'GET api/spaces': listRepos('spaces'),
};

export class Door {
  readonly #parts: HubParts;
  readonly #names: Names;

  readonly #uploads: Uploads;
  readonly #partialFiles: PartialFiles;
  readonly #xorbs: Xorbs;
  readonly #cleaner: DailyCleaner<Repository>;

  constructor(parts: HubParts) {
    this.#parts = parts;
    this.#uploads = new Uploads(parts.kv);
    this.#partialFiles = new PartialFiles(parts);
    this.#xorbs = new Xorbs(parts.kv);
    const { engine, log } = parts;
    this.#cleaner = new DailyCleaner({ engine, log, what: 'uploads of large files', clean: repository => this.#clean(repository) });
    this.#cleaner.start();
    this.#names = new Names(parts.namespace);
  }

  close(): void {
    this.#cleaner.stop();
  }

  async #clean(repository: Repository): Promise<void> {
    const { block } = this.#parts;
    const namespace = namespaceOf(repository);
    const remove = (identifier: string): Promise<void> => block.remove({ namespace, identifier, identifierType: identifierType.relative });
    const kinds = [
      () => this.#uploads.clean(repository),
      () => this.#partialFiles.clean(repository),
      () => this.#xorbs.clean(repository, remove),
    ];
    await workThrough(kinds, clean => clean());
  }

  async handle(exchange: RawExchange): Promise<HttpResponse> {
    const { request } = exchange;
    const { url = '', method = '' } = request;
    exchange.name('huggingface');
    const at = url.indexOf('?');
    const path = at < 0 ? url : url.slice(0, at);
    const segments = segmentsOf(path);
    // The card is checked without credentials, and how a name is written there; both say nothing about what is stored.
    if (method === 'POST' && segments.join('/') === 'api/validate-yaml') return validateYaml();
    if (method === 'GET' && segments[0] === 'api' && segments[1] === 'names' && segments.length === 3)
      return nameOf(this.#names, segments[2] ?? '');
    const [parts, uploads] = [this.#parts, this.#uploads];
    if (segments[0] === uploadPrefix) return receive({ parts, uploads, partialFiles: this.#partialFiles }, exchange, segments.slice(1));
    if (segments[0] === xetPrefix) return receiveXet({ parts, uploads, xorbs: this.#xorbs }, exchange, segments.slice(1));
    const face = await this.#identify(exchange);
    const context = this.#context(exchange, face, new URLSearchParams(at < 0 ? '' : url.slice(at + 1)));
    const name = `${method === 'HEAD' ? 'GET' : method} ${segments.join('/')}`;
    const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
    if (route) return this.#run(exchange, name, context, () => route(context));
    const match = this.#match(method, segments);
    if (!match) throw notOffered(method, path, segments);
    const { repo, rest } = match;
    return this.#run(exchange, match.name, { ...context, repo }, () => match.route({ ...context, repo, rest }));
  }

  async #identify(exchange: RawExchange): Promise<FaceRequest> {
    try {
      return await FaceRequest.identify(exchange, this.#parts.identity, credentialsOf);
    } catch (error) {
      if (isSrvError(error, 'unauthenticated') && exchange.request.headers.authorization === undefined)
        throw new HubError(401, 'no token was sent: set HF_TOKEN to ACCESS_KEY_ID:SECRET_ACCESS_KEY', { cause: error });
      throw error;
    }
  }

  #run(
    exchange: RawExchange,
    name: string,
    context: HubContext & { readonly repo?: HubRepo },
    work: () => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    exchange.name(`huggingface ${name}`);
    this.#parts.count({
      class: 'huggingface',
      name,
      repository: context.repo?.repository,
      user: context.face.user.username,
      client: clientName(context.request.headers),
    });
    return work();
  }

  #match(method: string, segments: readonly string[]): RepoMatch | undefined {
    const [first, second] = segments;
    if (first === 'api') {
      if (!isRepoType(second) || segments[2] === undefined) return undefined;
      const { repo, rest } = existing(() => this.#names.split(second, segments.slice(2)));
      const name = `${method} ${rest[0] ?? ''}`;
      const route = Object.hasOwn(repoRoutes, name) ? repoRoutes[name] : undefined;
      return route && { name: name.trim(), repo, rest: rest.slice(1), route };
    }
    const type = isRepoType(first) ? first : 'models';
    const named = isRepoType(first) ? segments.slice(1) : segments;
    const git = named.slice(-4).join('/');
    if (method === 'POST' && (git === 'info/lfs/objects/batch' || git === 'info/lfs/objects/verify')) {
      const [owner, own] = named.length === 6 ? [named[0], named[1]] : [undefined, named[0]];
      const repo = existing(() => this.#names.repo(type, owner, (own ?? '').replace(/\.git$/, '')));
      return { name: 'POST lfs', repo, rest: [], route: git.endsWith('batch') ? batch : verify };
    }
    const [owner = ''] = named;
    const at = named[2] === 'resolve' && this.#names.isOwn(owner) ? 2 : named.indexOf('resolve', 1);
    if ((method !== 'GET' && method !== 'HEAD') || (at !== 1 && at !== 2) || named.length < at + 3) return undefined;
    const repo = existing(() => this.#names.repo(type, at === 1 ? undefined : owner, named[at - 1] ?? ''));
    return { name: 'GET resolve', repo, rest: named.slice(at + 1), route: resolve };
  }

  #context(exchange: RawExchange, face: FaceRequest, query: URLSearchParams): HubContext {
    const { headers } = exchange.request;
    const secure = exchange.secure || headers['x-forwarded-proto'] === 'https';
    return {
      face,
      query,
      names: this.#names,
      uploads: this.#uploads,
      request: exchange.request,
      origin: `${secure ? 'https' : 'http'}://${headers.host ?? ''}`,
      ...this.#parts,
    };
  }
}

/** A repository of a name that none can have does not exist: clients ask whether it does. @throws HubError 404. */
function existing<T>(find: () => T): T {
  try {
    return find();
  } catch (error) {
    if (error instanceof HubError) throw new HubError(404, error.message, { code: 'RepoNotFound', cause: error });
    throw error;
  }
}

/** A token is `<access key id>:<secret>`, or a token of the HTTP API. */
function credentialsOf(authorization: string, from: () => string): Credentials | undefined {
  const found = authorizationCredentials(authorization, from);
  return found?.kind === 'token' && found.token.includes(':') ? keyPair(found.token, from) : found;
}
