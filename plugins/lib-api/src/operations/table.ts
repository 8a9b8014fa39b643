/** The table of operations: what the plugins add, each name and each route once. */
import { SrvError } from '@srv/kernel';
import type { AnyOperation } from './operation.js';

/**
 * Operations by id, for the typed client. A plugin adds its own by interface merging:
 * `declare module './index.js' { interface Operations extends MyOperations {} }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface Operations {}

/** Operations of one plugin by id. */
export type OperationGroup = Readonly<Record<string, AnyOperation>>;

declare module '@srv/kernel' {
  interface OperationTable {
    /** @throws SrvError `plugin` when an id or a route is taken, or a key is not the id of its operation. */
    add(plugin: string, operations: OperationGroup): void;
  }
}

/** Every path of the API starts with it. */
export const basePath = '/api/v1';

/** A table being filled; {@link OperationList.list} gives what it holds. */
export class OperationList {
  readonly #operations = new Map<string, { readonly operation: AnyOperation; readonly plugin: string }>();
  readonly #routes = new Map<string, { readonly operation: AnyOperation; readonly plugin: string }>();

  add(plugin: string, operations: OperationGroup): void {
    for (const [key, operation] of Object.entries(operations)) {
      const { operationId, method, path } = operation;
      if (key !== operationId)
        throw new SrvError('plugin', `plugin ${plugin} adds the operation ${operationId} under the name ${key}; both names must be equal`);
      // Names of parameters do not distinguish routes.
      const route = `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`;
      const [sameId, sameRoute] = [this.#operations.get(operationId), this.#routes.get(route)];
      if (sameId)
        throw new SrvError('plugin', `operation ${operationId} is added by both ${sameId.plugin} and ${plugin}; disable one of them`);
      if (sameRoute) {
        throw new SrvError(
          'plugin',
          `${method} ${path} is the route of ${sameRoute.operation.operationId} (plugin ${sameRoute.plugin}) and of ${operationId} (plugin ${plugin}); disable one of them`,
        );
      }
      this.#operations.set(operationId, { operation, plugin });
      this.#routes.set(route, { operation, plugin });
    }
  }

  list(): readonly AnyOperation[] {
    return [...this.#operations.values()].map(({ operation }) => operation);
  }
}
