/** A log file that is set aside when it has grown to its limit. */
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeSync, existsSync } from 'node:fs';
import { dirname, extname, basename, join } from 'node:path';

export interface RotationRules {
  readonly maxBytes: number;
  /** Set-aside files to keep; 0 keeps all. */
  readonly keep: number;
}

const stamp = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/;
const stampLength = '2030-01-31T23-59-59.999'.length;

/**
 * Appends whole lines, each written before `write` returns. A full file `srv.log` is renamed
 * `srv-2030-01-31T23-59-59.999.log`.
 */
export class RotatingFile {
  readonly #path: string;
  readonly #rules: RotationRules;
  #descriptor: number | undefined;
  #size = 0;

  /** @throws the error of the file system when the file cannot be opened for appending. */
  constructor(path: string, rules: RotationRules) {
    this.#path = path;
    this.#rules = rules;
    this.#open();
  }

  /** After `close` lines are still written, at the price of opening the file for each. */
  write(line: string): void {
    const bytes = Buffer.from(line);
    const transient = this.#descriptor === undefined;
    const descriptor = this.#open();
    if (this.#size > 0 && this.#size + bytes.length > this.#rules.maxBytes) this.#rotate();
    writeSync(this.#descriptor ?? descriptor, bytes);
    this.#size += bytes.length;
    if (transient) this.close();
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #open(): number {
    if (this.#descriptor === undefined) {
      mkdirSync(dirname(this.#path), { recursive: true });
      this.#descriptor = openSync(this.#path, 'a', 0o640);
      this.#size = fstatSync(this.#descriptor).size;
    }
    return this.#descriptor;
  }

  #rotate(): void {
    this.close();
    renameSync(this.#path, this.#freeName());
    this.#open();
    if (this.#rules.keep === 0) return;
    const folder = dirname(this.#path);
    for (const name of this.#setAside().slice(0, -this.#rules.keep)) rmSync(join(folder, name), { force: true });
  }

  /** Later than every file set aside before: a time stamp freed by deletion would make the newest file sort as the oldest. */
  #freeName(): string {
    const { stem, extension } = this.#nameParts();
    for (let time = Math.max(Date.now(), this.#newestTime() + 1); ; time++) {
      const path = join(dirname(this.#path), `${stem}-${new Date(time).toISOString().slice(0, -1).replaceAll(':', '-')}${extension}`);
      if (!existsSync(path)) return path;
    }
  }

  /** Unix milliseconds of the newest renamed file; 0 without one. */
  #newestTime(): number {
    const newest = this.#setAside().at(-1);
    if (newest === undefined) return 0;
    const start = this.#nameParts().stem.length + 1;
    const text = newest.slice(start, start + stampLength);
    const time = Date.parse(`${text.slice(0, 11)}${text.slice(11).replaceAll('-', ':')}Z`);
    return Number.isNaN(time) ? 0 : time;
  }

  /** Oldest first: the time stamps sort as text. */
  #setAside(): string[] {
    const { stem, extension } = this.#nameParts();
    const ours = (name: string): boolean =>
      name.startsWith(`${stem}-`) && name.endsWith(extension) && stamp.test(name.slice(stem.length + 1, name.length - extension.length));
    return readdirSync(dirname(this.#path)).filter(ours).sort();
  }

  #nameParts(): { stem: string; extension: string } {
    const extension = extname(this.#path);
    return { stem: basename(this.#path, extension), extension };
  }
}
