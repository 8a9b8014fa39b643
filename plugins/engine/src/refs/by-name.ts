/** Methods about a repository, which take its id in place of the repository. */
import type { Repository, RepositoryName } from './contract.js';

type ByName<Part, Name extends keyof Part> = {
  [N in Name]: Part[N] extends (repository: Repository, ...rest: infer Rest) => Promise<infer Result>
    ? (repository: RepositoryName, ...rest: Rest) => Promise<Result>
    : never;
};

/** @param find reads the repository of a name. */
export function byName<Part extends object, Name extends keyof Part>(
  find: (name: RepositoryName) => Promise<Repository>,
  part: Part,
  ...names: readonly Name[]
): ByName<Part, Name> {
  const methods = names.map(name => {
    const method = part[name] as (repository: Repository, ...rest: readonly unknown[]) => Promise<unknown>;
    const onFound = (given: RepositoryName, ...rest: readonly unknown[]): Promise<unknown> =>
      typeof given === 'string'
        ? find(given).then(repository => method.call(part, repository, ...rest))
        : method.call(part, given, ...rest);
    return [name, onFound];
  });
  return Object.fromEntries(methods) as ByName<Part, Name>;
}
