/** A set of names that takes 16 bytes a name: it holds 64 bits of their hashes. That two names share these does no harm: both stay. */
import { createHash } from 'node:crypto';
import { SrvError } from '@srv/kernel';

/** Tables of hashes, by the first bits: growing one of them is quick. */
const shards = 1024;
const firstSlots = 16;

export class NameSet {
  readonly #shards: (BigUint64Array | undefined)[] = Array.from({ length: shards });
  readonly #counts = new Uint32Array(shards);
  readonly #most: number;
  #size = 0;

  /** @param most names that it may hold. */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** @throws SrvError `invalid` when there are too many. */
  add(name: string): void {
    const hash = hashOf(name);
    const shard = Number(hash % BigInt(shards));
    const slots = this.#shards[shard] ?? new BigUint64Array(firstSlots);
    this.#shards[shard] = slots;
    const at = slotOf(slots, hash);
    if (slots[at] === hash) return;
    if (this.#size >= this.#most)
      throw new SrvError('invalid', `tables have more than ${this.#most} files, which are too many to be compared`);
    slots[at] = hash;
    this.#size++;
    const count = (this.#counts[shard] ?? 0) + 1;
    this.#counts[shard] = count;
    if (count * 2 > slots.length) this.#shards[shard] = grown(slots);
  }

  has(name: string): boolean {
    const hash = hashOf(name);
    const slots = this.#shards[Number(hash % BigInt(shards))];
    return slots !== undefined && slots[slotOf(slots, hash)] === hash;
  }
}

/** Never 0, which stands for an empty slot. */
function hashOf(name: string): bigint {
  return createHash('sha256').update(name).digest().readBigUInt64LE() || 1n;
}

/** Where the hash is, or would be. */
function slotOf(slots: BigUint64Array, hash: bigint): number {
  let at = Number((hash >> 10n) % BigInt(slots.length));
  while (slots[at] !== 0n && slots[at] !== hash) at = (at + 1) % slots.length;
  return at;
}

function grown(old: BigUint64Array): BigUint64Array {
  const slots = new BigUint64Array(old.length * 2);
  for (const hash of old) if (hash !== 0n) slots[slotOf(slots, hash)] = hash;
  return slots;
}
