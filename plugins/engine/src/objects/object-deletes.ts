/** Deleting objects from a branch. */

import { SrvError } from '@srv/kernel';
import { pathKey } from '@srv/lib-records';
import { entryFrom } from './entries.js';
import type { Engine } from '../contract.js';
import type { StoredValue } from '../refs/contract.js';
import type { ObjectStores } from './object-reads.js';

const maxDeletePaths = 1000;

export function createObjectDeletes({ refs, block }: ObjectStores) {
  return {
    deleteObject: async (id, branch, path, options) => refs.delete(await refs.getRepository(id), branch, [pathKey(path)], options),
    async deleteObjectIf(id, branch, path, condition, options) {
      const repository = await refs.getRepository(id);
      const holds = (current: StoredValue): boolean => condition(entryFrom(block, repository, path, current));
      await refs.deleteIf(repository, branch, pathKey(path), holds, options);
    },
    async deleteObjects(id, branch, paths, options) {
      if (paths.length > maxDeletePaths) throw new SrvError('invalid', `request size exceeded, max paths is set to ${maxDeletePaths}`);
      const repository = await refs.getRepository(id);
      await refs.getBranch(repository, branch);
      const keys = new Map<string, Buffer>();
      const failures: { path: string; error: unknown }[] = [];
      for (const path of paths.filter(p => p !== '')) {
        try {
          keys.set(path, pathKey(path));
        } catch (error) {
          failures.push({ path, error });
        }
      }
      try {
        await refs.delete(repository, branch, [...keys.values()], options);
      } catch (error) {
        failures.push(...[...keys.keys()].map(path => ({ path, error })));
      }
      return failures;
    },
  } satisfies Partial<Engine>;
}
