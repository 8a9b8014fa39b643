/** What failed of a script that kept going. */
import { alignedTable } from '@srv/lib-commands';

interface Failure {
  /** Line and column. */
  readonly place: string;
  readonly exitCode: number;
  readonly statement: string;
  readonly problem: string;
}

/** Rows, and characters of a statement, that are shown. */
const mostRows = 100;
const mostText = 60;

export class FailureTable {
  readonly #rows: Failure[] = [];
  #count = 0;

  add(failure: Failure): void {
    this.#count++;
    if (this.#rows.length < mostRows) this.#rows.push(failure);
  }

  /** Prints a table if something failed. @param all statements of the script. */
  tell(print: (text: string) => void, all: number): void {
    if (this.#count === 0) return;
    const rows = this.#rows.map(({ place, exitCode, statement, problem }) => [place, String(exitCode), shortened(statement), problem]);
    const more = this.#count > mostRows ? `\nand ${this.#count - mostRows} more` : '';
    print(`${this.#count} of ${all} statements failed:\n${alignedTable(['At', 'Exit code', 'Statement', 'Reason'], rows)}${more}`);
  }
}

function shortened(statement: string): string {
  const line = statement.replace(/\s+/g, ' ');
  return line.length > mostText ? `${line.slice(0, mostText - 1)}…` : line;
}
