/** Header lines as they came over the wire: repeated ones kept apart, values as bytes in latin-1. */
import type { Query } from './query.js';

export class HeaderLines {
  readonly #values = new Map<string, string[]>();

  /** @param raw names and values in turn, as `IncomingMessage.rawHeaders`. */
  constructor(raw: readonly string[]) {
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = (raw[i] ?? '').toLowerCase();
      const values = this.#values.get(name);
      if (values) values.push(raw[i + 1] ?? '');
      else this.#values.set(name, [raw[i + 1] ?? '']);
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

/** Headers that some clients put into the query of a signed URL. */
const hoistable =
  /^x-amz-(meta-.+|content-sha256|storage-class|acl|grant-.+|copy-source.*|metadata-directive|tagging|tagging-directive|checksum-algorithm|write-offset-bytes|if-.+|server-side-encryption.*|object-lock-.+|.*expected-bucket-owner)$/i;

/** Headers, and those given in the query, where its signature covers them. */
export function withHoisted(headers: HeaderLines, query: Query): HeaderLines {
  const hoisted = query.pairs.filter(([name]) => hoistable.test(name) && headers.get(name.toLowerCase()) === undefined);
  if (hoisted.length === 0) return headers;
  const own = headers.names().flatMap(name => headers.all(name).flatMap(value => [name, value]));
  // Header values are bytes in latin-1.
  return new HeaderLines([...own, ...hoisted.flatMap(([name, value]) => [name, Buffer.from(value, 'utf8').toString('latin1')])]);
}

/** A header value read as UTF-8 where its bytes are UTF-8, else as latin-1. */
export function headerText(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? value : text;
}
