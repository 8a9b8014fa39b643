/** What a URL names. Segments are decoded one by one: revisions and paths come with encoded slashes. */
import { HubError } from './errors.js';
import { isClientName, isNamespace, repoTypes } from './namespace.js';

export const base = '/hf';
export type RepoType = (typeof repoTypes)[number];

/** A repository as the Hub names it. */
export interface HubRepo {
  readonly type: RepoType;
  /** Of ours. */
  readonly repository: string;
  /** `<namespace>/<name>`, as answers show it. */
  readonly id: string;
}

/** What follows the name of a repository in the paths of the API. */
const verbs = new Set([
  'revision',
  'tree',
  'paths-info',
  'refs',
  'commits',
  'branch',
  'tag',
  'preupload',
  'commit',
  'auth-check',
  'super-squash',
  'discussions',
  'settings',
  'xet-read-token',
  'xet-write-token',
]);

/** Segments of a path below {@link base}, decoded. @throws HubError 400. */
export function segmentsOf(path: string): readonly string[] {
  return path
    .slice(base.length + 1)
    .split('/')
    .map(segment => {
      try {
        return decodeURIComponent(segment);
      } catch {
        throw new HubError(400, `${segment} is not percent-encoded UTF-8`);
      }
    });
}

export function isRepoType(text: string | undefined): text is RepoType {
  return repoTypes.some(type => type === text);
}

export class Names {
  /** Of repositories without another one. */
  readonly namespace: string;

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  /**
   * `<namespace>/zoo` and `zoo` are the repository `zoo`, `org/zoo` is `org--zoo`.
   * @throws HubError 400 for a name that no repository can have, and for a repository that clients cannot name.
   */
  repo(type: RepoType, namespace: string | undefined, name: string): HubRepo {
    const isOwn = namespace === undefined || this.isOwn(namespace);
    const repository = (isOwn ? name : `${namespace}--${name}`).toLowerCase();
    const id = isRepository(repository) ? this.idOf(repository) : undefined;
    if (id !== undefined) return { type, repository, id };
    const better = this.#suggestion(isOwn ? undefined : namespace, name);
    if (isRepository(repository)) throw new HubError(400, unnamed(repository, better));
    const given = JSON.stringify((namespace === undefined ? name : `${namespace}/${name}`).slice(0, 200));
    throw new HubError(
      400,
      `${given} cannot be the name of a repository here: use 3 to 63 letters, digits and single dashes${suchAs(better)}`,
    );
  }

  /** The Hub's name of a repository; `undefined` if clients refuse what would be it, or take it for another one. */
  idOf(repository: string): string | undefined {
    const at = repository.indexOf('--');
    const [owner, name] = at < 0 ? [undefined, repository] : [repository.slice(0, at), repository.slice(at + 2)];
    if (!isClientName(name)) return undefined;
    if (owner === undefined) return `${this.namespace}/${name}`;
    const isFree = isNamespace(owner) && !this.isOwn(owner) && !verbs.has(name) && name !== 'resolve';
    return isFree ? `${owner}/${name}` : undefined;
  }

  isOwn(namespace: string): boolean {
    return namespace.toLowerCase() === this.namespace.toLowerCase();
  }

  /** A name like the given one that a repository can have. */
  #suggestion(namespace: string | undefined, name: string): string | undefined {
    const [owner, own] = [namespace ?? '', name].map(text =>
      text
        .toLowerCase()
        .split(/[^a-z0-9]/)
        .filter(Boolean)
        .join('-'),
    );
    const repository = owner ? `${owner}--${own}` : (own ?? '');
    return isRepository(repository) ? this.idOf(repository) : undefined;
  }

  /** The repository at the beginning of segments of an API path, and what follows. */
  split(type: RepoType, segments: readonly string[]): { readonly repo: HubRepo; readonly rest: readonly string[] } {
    const [first = '', second] = segments;
    const isBare = second === undefined || (verbs.has(second) && !this.isOwn(first));
    if (isBare) return { repo: this.repo(type, undefined, first), rest: segments.slice(1) };
    return { repo: this.repo(type, first, second), rest: segments.slice(2) };
  }
}

const isRepository = (name: string): boolean => /^[a-z0-9][a-z0-9-]{2,62}$/.test(name);

const suchAs = (name: string | undefined): string => (name === undefined ? '' : `, such as ${name}`);

/** Why a repository is not offered. @param better a name that would be. */
export function unnamed(repository: string, better?: string): string {
  return `clients of the Hub cannot name the repository ${repository}, whose name ends with a dash, has two dashes elsewhere than after a namespace, or begins with a word that has another meaning: use another face, or a repository of another name${suchAs(better)}`;
}

/** Where the page of a repository would be; clients parse it. */
export function urlOf(origin: string, { type, id }: Pick<HubRepo, 'type' | 'id'>): string {
  return `${origin}${base}/${type === 'models' ? '' : `${type}/`}${id}`;
}
