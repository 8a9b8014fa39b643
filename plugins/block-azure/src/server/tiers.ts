/** Storage classes are access tiers here. */
import type { Logger } from '@srv/kernel';

const names = ['Hot', 'Cool', 'Cold', 'Archive', 'Premium', 'P4', 'P6', 'P10', 'P15', 'P20', 'P30', 'P40', 'P50', 'P60', 'P70', 'P80'];
const byName = new Map(names.map(name => [name.toLowerCase(), name]));

export class Tiers {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The tier as the service spells it; an unknown one is logged and ignored, as clients send the classes of other stores. */
  of(storageClass: string | undefined): string | undefined {
    if (storageClass === undefined || storageClass === '') return undefined;
    const tier = byName.get(storageClass.toLowerCase());
    if (tier === undefined) this.#log.warn({ storage_class: storageClass, known: names }, 'unknown access tier is ignored');
    return tier;
  }
}
