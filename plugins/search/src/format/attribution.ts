/** For each entry of a range the commit that last changed it (format.md, "Attributions"). Every byte is hostile. */
import { isTableId } from '@srv/engine/tables/format';
import { SrvError, messageOf } from '@srv/kernel';

/** Commits, and for each entry the index of one of them. */
export interface Attribution {
  readonly commits: readonly string[];
  readonly indexes: Uint32Array;
}

/** Collects the commits of entries in their order. */
export class AttributionWriter {
  readonly #numbers = new Map<string, number>();
  readonly #runs: number[] = [];
  #last = -1;

  add(commit: string): void {
    const index = this.#numbers.get(commit) ?? this.#numbers.size;
    this.#numbers.set(commit, index);
    if (index === this.#last) this.#runs[this.#runs.length - 2] = (this.#runs[this.#runs.length - 2] ?? 0) + 1;
    else this.#runs.push(1, index);
    this.#last = index;
  }

  /** The commit of all entries; `undefined` when there are several. */
  get single(): string | undefined {
    const [commit] = this.#numbers.keys();
    return this.#numbers.size === 1 ? commit : undefined;
  }

  encode(): Buffer {
    return Buffer.from(JSON.stringify({ commits: [...this.#numbers.keys()], runs: this.#runs }));
  }
}

/** @param count entries of the range. @throws SrvError `corrupt`. */
export function decodeAttribution(bytes: Buffer, count: number, name: string): Attribution {
  const problem = (text: string): SrvError => new SrvError('corrupt', `index file ${name}: ${text}; \`cli search rebuild\` makes it again`);
  let found: { readonly commits?: unknown; readonly runs?: unknown };
  try {
    found = Object(JSON.parse(bytes.toString('utf8'))) as typeof found;
  } catch (error) {
    throw problem(messageOf(error));
  }
  const { commits, runs } = found;
  if (!Array.isArray(commits) || !commits.every(id => typeof id === 'string' && isTableId(id)))
    throw problem('commits is not a list of commit ids');
  if (!Array.isArray(runs) || runs.length % 2 !== 0) throw problem('runs is not a list of pairs');
  const indexes = new Uint32Array(count);
  let at = 0;
  for (let i = 0; i < runs.length; i += 2) {
    const [length, index] = [runs[i] as unknown, runs[i + 1] as unknown];
    if (!isIndex(length, count - at + 1) || !isIndex(index, commits.length))
      throw problem(`pair ${i / 2} of runs is not one of ${count} entries`);
    indexes.fill(index, at, at + length);
    at += length;
  }
  if (at !== count) throw problem(`it is about ${at} entries, not ${count}`);
  return { commits: commits as string[], indexes };
}

function isIndex(value: unknown, limit: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < limit;
}
