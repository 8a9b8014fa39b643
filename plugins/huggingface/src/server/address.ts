/** What a URL names. Segments are decoded one by one: revisions and paths come with encoded slashes. */
import { HubError } from './errors.js';

export const base = '/hf';

const repoTypes = ['models', 'datasets', 'spaces'] as const;
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
   * @throws HubError 400 for a name that no repository can have.
   */
  repo(type: RepoType, namespace: string | undefined, name: string): HubRepo {
    const own = namespace === undefined || namespace.toLowerCase() === this.namespace.toLowerCase();
    const repository = (own ? name : `${namespace}--${name}`).toLowerCase();
    if (!/^[a-z0-9][a-z0-9-]{2,62}$/.test(repository))
      throw new HubError(
        400,
        `${namespace === undefined ? '' : `${namespace}/`}${name} cannot be the name of a repository here: use 3 to 63 letters, digits and dashes, with the namespace ${this.namespace}`,
      );
    return { type, repository, id: this.idOf(repository) };
  }

  /** The Hub's name of a repository. */
  idOf(repository: string): string {
    const at = repository.indexOf('--');
    return at > 0 ? `${repository.slice(0, at)}/${repository.slice(at + 2)}` : `${this.namespace}/${repository}`;
  }

  /** The repository at the beginning of segments of an API path, and what follows. */
  split(type: RepoType, segments: readonly string[]): { readonly repo: HubRepo; readonly rest: readonly string[] } {
    const [first = '', second] = segments;
    const isBare = second === undefined || (verbs.has(second) && first.toLowerCase() !== this.namespace.toLowerCase());
    if (isBare) return { repo: this.repo(type, undefined, first), rest: segments.slice(1) };
    return { repo: this.repo(type, first, second), rest: segments.slice(2) };
  }
}

/** Where the page of a repository would be; clients parse it. */
export function urlOf(origin: string, { type, id }: Pick<HubRepo, 'type' | 'id'>): string {
  return `${origin}${base}/${type === 'models' ? '' : `${type}/`}${id}`;
}
