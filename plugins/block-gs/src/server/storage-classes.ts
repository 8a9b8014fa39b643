/** Storage classes of the service. */
import type { Logger } from '@srv/kernel';

const known = new Set(['STANDARD', 'NEARLINE', 'COLDLINE', 'ARCHIVE']);

export class StorageClasses {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The class as the service spells it; an unknown one is logged and ignored, as clients send the classes of other stores. */
  of(storageClass: string | undefined): string | undefined {
    if (storageClass === undefined || storageClass === '') return undefined;
    const name = storageClass.toUpperCase();
    if (known.has(name)) return name;
    this.#log.warn({ storage_class: storageClass, known: [...known] }, 'unknown storage class is ignored');
    return undefined;
  }
}
