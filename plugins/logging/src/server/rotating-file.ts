/** A log file that is set aside when it has grown to its limit. */
import { closeSync, existsSync, fstatSync, openSync, readSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { makeFolderSync } from '@srv/kernel';

export interface RotationRules {
  /** @bound bytes of a log file */
  readonly maxBytes: number;
  /** 0 keeps all. @bound log files set aside */
  readonly keep: number;
}

const lineEnd = 0x0a;
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
  #isClosed = false;

  /** @throws the error of the file system when the file cannot be opened for appending. */
  constructor(path: string, rules: RotationRules) {
    this.#path = path;
    this.#rules = rules;
    this.#open();
  }

  /**
   * After `close` lines are still written, at the price of opening the file for each.
   * @throws the error of the file system; the next line then opens the file again, in case it was replaced.
   */
  write(line: string): void {
    const transient = this.#isClosed;
    try {
      const bytes = Buffer.from(line);
      let descriptor = this.#open();
      if (this.#size > 0 && this.#size + bytes.length > this.#rules.maxBytes) descriptor = this.#rotate();
      this.#append(descriptor, bytes);
    } catch (error) {
      this.#release();
      throw error;
    }
    if (transient) this.#release();
  }

  close(): void {
    this.#isClosed = true;
    this.#release();
  }

  #release(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }

  #open(): number {
    if (this.#descriptor === undefined) {
      makeFolderSync(dirname(this.#path));
      this.#descriptor = openSync(this.#path, 'a', 0o640);
      this.#size = fstatSync(this.#descriptor).size;
      if (this.#size > 0 && !this.#endsWithLine()) this.#append(this.#descriptor, Buffer.of(lineEnd));
    }
    return this.#descriptor;
  }

  /** A full disk or a crash may have cut the last line. A file that may only be written to counts as whole. */
  #endsWithLine(): boolean {
    let reader: number | undefined;
    try {
      reader = openSync(this.#path, 'r');
      const last = Buffer.alloc(1);
      return readSync(reader, last, 0, 1, this.#size - 1) === 0 || last[0] === lineEnd;
    } catch {
      return true;
    } finally {
      if (reader !== undefined) closeSync(reader);
    }
  }

  /** A disk that is nearly full takes a part and then reports an error. */
  #append(descriptor: number, bytes: Buffer): void {
    for (let written = 0; written < bytes.length; ) {
      const count = writeSync(descriptor, bytes, written);
      written += count;
      this.#size += count;
    }
  }

  #rotate(): number {
    this.#release();
    renameSync(this.#path, this.#freeName());
    const descriptor = this.#open();
    const folder = dirname(this.#path);
    const excess = this.#rules.keep === 0 ? [] : this.#setAside().slice(0, -this.#rules.keep);
    for (const name of excess) rmSync(join(folder, name), { force: true });
    return descriptor;
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
