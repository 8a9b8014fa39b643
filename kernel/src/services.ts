/** Typed registry of what plugins offer one another. */
import { SrvError } from './errors.js';
import type { BlockStore } from './contracts/block.js';
import type { KvStore } from './contracts/kv.js';
import type { Logger } from './contracts/log.js';

/** Names and types of services. A plugin adds its own by interface merging. */
export interface Services {
  kv: KvStore;
  block: BlockStore;
  log: Logger;
}

export type ServiceName = keyof Services;

export class ServiceRegistry {
  readonly #services = new Map<string, unknown>();

  /** @throws SrvError `plugin` when the name is taken. */
  provide<N extends ServiceName>(name: N, service: Services[N]): void {
    if (this.#services.has(name)) throw new SrvError('plugin', `service ${name} is provided twice`);
    this.#services.set(name, service);
  }

  /** @throws SrvError `plugin` when nothing provides it: a `requires` is missing, or it is asked for before `start`. */
  get<N extends ServiceName>(name: N): Services[N] {
    const service = this.find(name);
    if (service === undefined)
      throw new SrvError('plugin', `no plugin provides the service ${name}; is the plugin that does enabled and listed in "requires"?`);
    return service;
  }

  find<N extends ServiceName>(name: N): Services[N] | undefined {
    return this.#services.get(name) as Services[N] | undefined;
  }

  names(): string[] {
    return [...this.#services.keys()];
  }
}
