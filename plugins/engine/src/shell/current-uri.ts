/** Where the shell is: a repository, a ref in it, or a folder in that. Addresses are relative to it. */
import { formatUri, parseUri, uriReader } from '@srv/lib-commands';
import type { Command, SrvUri, UriReader } from '@srv/lib-commands';

const absolute = /^(?:srv|lakefs):\/\//;

export class CurrentUri {
  #uri: SrvUri | undefined;

  /** Nowhere: addresses must be absolute. */
  get uri(): SrvUri | undefined {
    return this.#uri;
  }

  /** Goes above all repositories. */
  leave(): void {
    this.#uri = undefined;
  }

  /** Goes to an address. A path means a folder: it ends with a slash. @throws UriError when the text is not a URI. */
  move(argument: string): SrvUri {
    const { repository, ref, path } = parseUri(this.resolve(argument, 'place'));
    const folder = path === undefined || path === '' || path.endsWith('/') ? path : `${path}/`;
    this.#uri = {
      repository,
      ...(ref ? { ref } : {}),
      ...(ref && folder ? { path: folder } : {}),
    };
    return this.#uri;
  }

  /** The argument as an absolute address, or as it is when the shell is nowhere. */
  resolve(argument: string, kind: 'repository' | 'ref' | 'path' | 'place'): string {
    if (absolute.test(argument) || !this.#uri) return argument;
    const { repository, ref = '', path = '' } = this.#uri;
    const here = argument === '.' || argument === '';
    const rules = {
      repository: () => formatUri({ repository: here ? repository : argument }),
      ref: () => formatUri({ repository, ref: here ? ref : argument }),
      // In a repository a path begins with its ref.
      path: () =>
        ref === '' && !here
          ? `${formatUri({ repository })}/${argument.replace(/^\//, '')}`
          : formatUri({ repository, ref, path: joinPath(path, argument) }),
      // Within a ref one moves between folders, in a repository between refs.
      place: () =>
        ref === '' && !here ? formatUri({ repository, ref: argument }) : formatUri({ repository, ref, path: joinPath(path, argument) }),
    } satisfies Record<typeof kind, () => string>;
    return rules[kind]();
  }

  /** Reads the arguments of commands. */
  reader(): UriReader {
    const plain = uriReader('');
    return {
      repository: (argument, label) => plain.repository(this.resolve(argument, 'repository'), label),
      ref: (argument, label) => plain.ref(this.resolve(argument, 'ref'), label),
      branch: (argument, label) => plain.branch(this.resolve(argument, 'ref'), label),
      path: (argument, label) => plain.path(this.resolve(argument, 'path'), label),
    };
  }

  /** `repo/main/images/`, or nothing. */
  toString(): string {
    return this.#uri ? formatUri(this.#uri).slice('srv://'.length) : '';
  }
}

/** `..` goes up, a leading slash starts at the ref's root. */
function joinPath(folder: string, argument: string): string {
  if (argument === '.' || argument === '') return folder;
  if (argument.startsWith('/')) return argument.slice(1);
  let base = folder;
  let rest = argument.replace(/^(\.\/)+/, '');
  while (rest === '..' || rest.startsWith('../')) {
    base = base.replace(/(?<![^/])[^/]*\/$/, '');
    rest = rest.slice(3);
  }
  return base + rest;
}

/** Left out, these would turn on the place itself. */
const neverImplied = /(^| )(delete|create|create-bare|rm)$/;

/** Adds the place where one address of a command was left out. */
export function withPlace({ name, arguments: parameters = [] }: Command, args: readonly string[]): readonly string[] {
  const wanted = parameters.filter(p => p.required);
  if (args.length !== wanted.length - 1) return args;
  const [first, last] = [wanted[0], wanted.at(-1)];
  if (wanted.length > 1 && isAddress(last)) return [...args, '.'];
  return isAddress(first) && !neverImplied.test(name) ? ['.', ...args] : args;
}

function isAddress(parameter: { readonly description: string } | undefined): boolean {
  return parameter?.description.startsWith('srv://') === true;
}
