/** Storage classes of a backend. */
import type { Logger } from '@srv/kernel';

interface Known {
  /** As the backend spells them. */
  readonly names: readonly string[];
  /** What the backend calls a class. */
  readonly kind: string;
  readonly log: Logger;
}

export class StorageClasses {
  readonly #known: Known;
  readonly #byName: ReadonlyMap<string, string>;

  constructor(known: Known) {
    this.#known = known;
    this.#byName = new Map(known.names.map(name => [name.toLowerCase(), name]));
  }

  /** The class as the backend spells it; an unknown one is logged and ignored, as clients send the classes of other stores. */
  of(storageClass: string | undefined): string | undefined {
    if (storageClass === undefined || storageClass === '') return undefined;
    const found = this.#byName.get(storageClass.toLowerCase());
    const { names, kind, log } = this.#known;
    if (found === undefined) log.warn({ storage_class: storageClass, known: names }, `unknown ${kind} is ignored`);
    return found;
  }
}
