/** Changes of a text by the offsets of the original. */

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export class Edits {
  readonly #edits: Edit[] = [];

  /** Replaces a piece; lines that it had are kept as empty ones, so that what follows stays where it is. */
  replace(original: string, start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text: text + '\n'.repeat(original.slice(start, end).split('\n').length - 1) });
  }

  insert(at: number, text: string): void {
    this.#edits.push({ start: at, end: at, text });
  }

  /** The changed text from `start` to `end`. */
  apply(original: string, start: number, end: number): string {
    let result = '';
    let at = start;
    // The sort is stable: what was inserted at one place stays in its order.
    for (const edit of this.#edits.sort((a, b) => a.start - b.start)) {
      result += original.slice(at, edit.start) + edit.text;
      at = edit.end;
    }
    return result + original.slice(at, end);
  }
}
