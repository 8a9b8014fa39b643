/** How much of something is complete from its start on, when its parts are done in any order. */
export class Prefix {
  readonly #ends = new Map<number, number>();
  #end = 0;

  /** Notes that `start` to `end`, exclusive, is done. @returns how much is complete. */
  add(start: number, end: number): number {
    this.#ends.set(start, end);
    for (let next = this.#ends.get(this.#end); next !== undefined; next = this.#ends.get(this.#end)) {
      this.#ends.delete(this.#end);
      this.#end = next;
    }
    return this.#end;
  }
}
