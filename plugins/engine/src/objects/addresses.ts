/** Names for new objects: `data/<partition>/<id>`, newer partitions first (block storage, section 5.1). */
import { descendingXid, partitionEpoch, xid } from '@srv/lib-records';

/** Names per partition, and milliseconds until the next partition begins. */
const partitionNames = 50_000;
const partitionLife = 3_600_000;

export class AddressProvider {
  #partition = '';
  #names = 0;
  #since = 0;

  /** A new relative address. */
  next(): string {
    if (this.#names % partitionNames === 0 || Date.now() - this.#since > partitionLife) {
      this.#partition = descendingXid(partitionEpoch);
      this.#since = Date.now();
      this.#names = 0;
    }
    this.#names++;
    return `data/${this.#partition}/${xid()}`;
  }
}
