/** Typed registry of what plugins offer one another. */
import { SrvError } from './errors.js';
import type { Identity } from './contracts/identity.js';
import type { KvStore } from './contracts/kv.js';
import type { Logger } from './contracts/log.js';
import type { BlockStore } from './contracts/open-types.js';
import type { PeerProcesses } from './contracts/peer-processes.js';

/** Names and types of services. A plugin adds its own by interface merging. */
export interface Services {
  kv: KvStore;
  block: BlockStore;
  identity: Identity;
  log: Logger;
  /** Only where several servers run as one, such as by `srv run --workers`. */
  peers: PeerProcesses;
}

export type ServiceName = keyof Services;

export class ServiceRegistry {
  readonly #services = new Map<string, { readonly service: unknown; readonly owner: string }>();
  #owner = 'kernel';

  /** Who provides from now on, for messages. The kernel says it before it runs a tap. */
  providedBy(plugin: string): void {
    this.#owner = plugin;
  }

  /** @throws SrvError `plugin` that names both plugins when the name is taken. */
  provide<N extends ServiceName>(name: N, service: Services[N]): void {
    const earlier = this.#services.get(name);
    if (earlier) {
      throw new SrvError('plugin', `service ${name} is provided by both ${earlier.owner} and ${this.#owner}; disable one of them`);
    }
    this.#services.set(name, { service, owner: this.#owner });
  }

  /** @throws SrvError `unsupported` when nothing provides it: a `requires` is missing, or it is asked for before `start`. */
  get<N extends ServiceName>(name: N): Services[N] {
    const service = this.find(name);
    if (service === undefined)
      throw new SrvError(
        'unsupported',
        `no plugin provides the service ${name}; is the plugin that does enabled and listed in "requires"?`,
      );
    return service;
  }

  find<N extends ServiceName>(name: N): Services[N] | undefined {
    return this.#services.get(name)?.service as Services[N] | undefined;
  }

  names(): string[] {
    return [...this.#services.keys()];
  }
}
