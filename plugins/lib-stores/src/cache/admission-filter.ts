/**
 * Decides what a cache keeps: what is asked for a second time, not long after the first. Where more is read than fits, each of
 * what is read once would only push out something else.
 */
export class AdmissionFilter {
  /** Hashes of the names that were asked for, each in the one place where it may be. */
  readonly #recent: Int32Array;

  /** @param names about as many of the last ones are remembered; a power of two. */
  constructor(names: number) {
    this.#recent = new Int32Array(names);
  }

  /** Whether the name was asked for before, not long ago; it counts as asked for from now on. */
  admits(name: string): boolean {
    const hash = hashOf(name);
    const place = (hash ^ (hash >>> 16)) & (this.#recent.length - 1);
    if (this.#recent[place] === hash) return true;
    this.#recent[place] = hash;
    return false;
  }
}

/** FNV-1a of 32 bits, by characters. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash;
}
