/** What an examination found. */

type Verdict = 'ok' | 'warning' | 'failed' | 'skipped';

export interface Finding {
  /** What was examined, such as `database`. */
  readonly about: string;
  readonly verdict: Verdict;
  /** One sentence. */
  readonly text: string;
  /** What to do; of warnings and failures. */
  readonly remedy?: string | undefined;
}

/** Collects findings about one thing. */
export class Findings {
  readonly list: Finding[] = [];
  readonly #about: string;

  constructor(about: string) {
    this.#about = about;
  }

  get failed(): boolean {
    return this.list.some(({ verdict }) => verdict === 'failed');
  }

  ok(text: string): void {
    this.list.push({ about: this.#about, verdict: 'ok', text });
  }

  skipped(text: string, remedy?: string): void {
    this.#add('skipped', text, remedy);
  }

  warning(text: string, remedy: string): void {
    this.#add('warning', text, remedy);
  }

  fail(text: string, remedy: string): void {
    this.#add('failed', text, remedy);
  }

  #add(verdict: Verdict, text: string, remedy: string | undefined): void {
    this.list.push({ about: this.#about, verdict, text, remedy });
  }
}

/** One line per finding, remedies below. */
export function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length));
  return findings
    .flatMap(({ about, verdict, text, remedy }) => {
      const margin = ' '.repeat(9 + width + 2);
      const line = `${verdict.padEnd(9)}${about.padEnd(width)}  ${text.replaceAll('\n', `\n${margin}`)}`;
      return remedy === undefined ? [line] : [line, `${margin}> ${remedy}`];
    })
    .join('\n');
}
