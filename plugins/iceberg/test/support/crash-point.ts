/** Stores of a server that dies at a chosen write: that one happens or not, and nothing can be read or written after it. */
import { SrvError } from '@srv/kernel';
import type { KvStore } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';

interface Stores {
  readonly kv: KvStore;
  readonly block: BlockStore;
}

const kvWrites = ['set', 'setIf', 'delete'];
const blockWrites = [
  'put',
  'putFile',
  'copy',
  'remove',
  'removeAll',
  'createMultipart',
  'uploadPart',
  'copyPart',
  'completeMultipart',
  'abortMultipart',
];
/** They end the process properly, or say nothing of stored bytes. */
const always = ['close', 'resolve', 'checkReadable'];

export class CrashPoint {
  #left: number | undefined;
  #happens = false;
  isDead = false;

  /** @param writes that succeed before the one at which the server dies. @param happens whether that one is carried out. */
  arm(writes: number, happens: boolean): void {
    this.#left = writes;
    this.#happens = happens;
  }

  disarm(): void {
    this.#left = undefined;
  }

  /** In front of the stores of one server. */
  stores({ kv, block }: Stores): Stores {
    return { kv: this.#guarded(kv, kvWrites), block: this.#guarded(block, blockWrites) };
  }

  #guarded<T extends object>(store: T, writes: readonly string[]): T {
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function' || typeof name !== 'string' || always.includes(name)) return bound(member, target);
        return (...args: unknown[]): unknown => {
          if (this.isDead) throw died();
          return writes.includes(name) ? this.#write(() => member.apply(target, args) as unknown) : member.apply(target, args);
        };
      },
    });
  }

  async #write(work: () => unknown): Promise<unknown> {
    const dies = this.#left === 0;
    if (this.#left !== undefined) this.#left--;
    if (!dies) return work();
    this.isDead = true;
    if (this.#happens) await work();
    throw died();
  }
}

function bound(member: unknown, target: object): unknown {
  return typeof member === 'function' ? member.bind(target) : member;
}

const died = (): SrvError => new SrvError('closed', 'the server died');
