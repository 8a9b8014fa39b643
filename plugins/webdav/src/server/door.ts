/** A request to WebDAV: caller, method, answer. */
import { isSrvError } from '@srv/kernel';
import { FaceRequest, authorizationCredentials, clientName } from '@srv/lib-api/http';
import { DailyCleaner, workThrough } from '@srv/lib-records';
import { openTree } from './context.js';
import { DavError } from './errors.js';
import { checkIfHeader } from './locks/check.js';
import { LockStore } from './locks/lock-store.js';
import { copy, move } from './methods/copy-move.js';
import { deleteResource } from './methods/delete.js';
import { get } from './methods/get.js';
import { lock, unlock } from './methods/lock.js';
import { mkcol } from './methods/mkcol.js';
import { methods as allowed, options } from './methods/options.js';
import { propfind } from './methods/propfind.js';
import { proppatch } from './methods/proppatch.js';
import { put } from './methods/put.js';
import { Scratch } from './scratch.js';
import { parseTarget } from './target.js';
import type { Repository } from '@srv/engine/contract';
import type { HttpResponse, RawExchange } from '@srv/http/contract';
import type { DavContext, DavMethod, DavParts } from './context.js';
import type { Target } from './target.js';
import type { Tree } from './tree.js';

const methods: ReadonlyMap<string, DavMethod> = new Map(
  Object.entries({
    GET: get,
    HEAD: get,
    PROPFIND: propfind,
    PROPPATCH: proppatch,
    PUT: put,
    MKCOL: mkcol,
    DELETE: deleteResource,
    COPY: copy,
    MOVE: move,
    LOCK: lock,
    UNLOCK: unlock,
  }),
);

export class Door {
  readonly #parts: DavParts;
  readonly #locks: LockStore;
  readonly #scratch: Scratch;
  readonly #cleaner: DailyCleaner<Repository>;

  constructor(parts: DavParts) {
    this.#parts = parts;
    this.#locks = new LockStore(parts.kv);
    this.#scratch = new Scratch(parts.kv, parts.settings.ignore);
    const { engine, log } = parts;
    const clean = (repository: Repository): Promise<void> => workThrough([this.#locks, this.#scratch], kept => kept.clean(repository));
    this.#cleaner = new DailyCleaner({ engine, log, what: 'locks and temporary files of WebDAV', clean });
    this.#cleaner.start();
  }

  close(): void {
    this.#cleaner.stop();
  }

  async handle(exchange: RawExchange): Promise<HttpResponse> {
    const { request } = exchange;
    const name = request.method ?? '';
    const method = methods.get(name);
    exchange.name(method ? `webdav ${name}` : name === 'OPTIONS' ? 'webdav OPTIONS' : 'webdav');
    if (name === 'OPTIONS') return this.#options(exchange);
    if (!method) throw new DavError(405, `the method ${name} is not offered`, { headers: { Allow: allowed } });
    const context = this.#context(exchange, await this.#identify(exchange), parseTarget(request.url ?? ''));
    if (context.target.kind === 'resource') await checkIfHeader(context);
    this.#count(context, name);
    return method(context);
  }

  #identify(exchange: RawExchange): Promise<FaceRequest> {
    return FaceRequest.identify(exchange, this.#parts.identity, authorizationCredentials);
  }

  /** Only callers that are known learn whether a ref can be written. */
  async #options(exchange: RawExchange): Promise<HttpResponse> {
    const target = parseTarget(exchange.request.url ?? '');
    if (target.kind !== 'resource' || exchange.request.headers.authorization === undefined) return options(true);
    try {
      const context = this.#context(exchange, await this.#identify(exchange), target);
      const mayRead = await context.face.may({ action: 'fs:ListObjects', resource: `arn:lakefs:fs:::repository/${target.repository}` });
      return options(!mayRead || (await (await context.tree(target)).isBranch()));
    } catch (error) {
      if (error instanceof DavError || isSrvError(error)) return options(true);
      throw error;
    }
  }

  #context(exchange: RawExchange, face: FaceRequest, target: Target): DavContext {
    const { request } = exchange;
    const trees = new Map<string, Promise<Tree>>();
    const [scratch, parts] = [this.#scratch, this.#parts];
    return {
      face,
      request,
      target,
      scratch,
      locks: this.#locks,
      header(name) {
        const value = request.headers[name];
        return Array.isArray(value) ? value.join(',') : value;
      },
      tree(place) {
        const key = `${place.repository}/${place.ref}`;
        const known = trees.get(key) ?? openTree({ engine: parts.engine, scratch }, place, face.user.username);
        trees.set(key, known);
        return known;
      },
      ...parts,
    };
  }

  #count({ target, face, request }: DavContext, name: string): void {
    const place = target.kind === 'resource' ? { repository: target.repository, ref: target.ref } : {};
    this.#parts.count({
      class: 'webdav',
      name: name.toLowerCase(),
      user: face.user.username,
      client: clientName(request.headers),
      ...place,
    });
  }
}
