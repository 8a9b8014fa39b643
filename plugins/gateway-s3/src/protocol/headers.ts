/** Header lines as they came over the wire: repeated ones kept apart, values as bytes in latin-1. */

export class HeaderLines {
  readonly #values = new Map<string, string[]>();

  /** @param raw names and values in turn, as `IncomingMessage.rawHeaders`. */
  constructor(raw: readonly string[]) {
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = raw[i].toLowerCase();
      const values = this.#values.get(name);
      if (values) values.push(raw[i + 1]);
      else this.#values.set(name, [raw[i + 1]]);
    }
  }

  /** Lower-case names in the order sent. */
  names(): string[] {
    return [...this.#values.keys()];
  }

  /** Repeated lines joined with commas. */
  get(name: string): string | undefined {
    return this.#values.get(name)?.join(',');
  }

  first(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  /** As {@link get}, unless it is empty. */
  text(name: string): string | undefined {
    return this.get(name)?.trim() || undefined;
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }
}

/** A header value read as UTF-8 where its bytes are UTF-8, else as latin-1. */
export function headerText(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? value : text;
}
