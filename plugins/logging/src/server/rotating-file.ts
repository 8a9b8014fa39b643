/** A log file that is set aside when it has grown to its limit. */
import { closeSync, existsSync, fstatSync, openSync, readSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { makeFolderSync } from '@srv/kernel';

export interface RotationRules {
  /** @bound bytes of a log file */
  readonly maxBytes: number;
  /** 0 keeps all. @bound log files set aside */
  readonly keep: number;
}

interface OpenFile {
  readonly descriptor: number;
  readonly dev: number;
  readonly ino: number;
}

/** A file that is open for appending. */
interface Target {
  readonly descriptor: number;
  /** Bytes. */
  readonly size: number;
}

const lineEnd = 0x0a;
/** A rotation takes milliseconds: what is older was left by a process that ended amid one. */
const abandonedMs = 10_000;
const stamp = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/;
const stampLength = '2030-01-31T23-59-59.999'.length;

/**
 * Appends whole lines, each written before `write` returns. A full file `srv.log` is renamed
 * `srv-2030-01-31T23-59-59.999.log`. Several processes may write to one file: each checks before a line that its
 * file is still the one at the path, so that none writes to files that are set aside, and removed later.
 */
export class RotatingFile {
  readonly #path: string;
  readonly #rules: RotationRules;
  #file: OpenFile | undefined;
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
      let target = this.#open();
      if (this.#isFull(target, bytes)) {
        this.#rotate(bytes);
        target = this.#open();
      }
      append(target.descriptor, bytes);
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
    const file = this.#file;
    this.#file = undefined;
    if (file) closeSync(file.descriptor);
  }

  /** Opens the file at the path unless it is open. One that another process or an operator moved away is left. */
  #open(): Target {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    if (this.#file && found?.ino === this.#file.ino && found.dev === this.#file.dev)
      return { descriptor: this.#file.descriptor, size: found.size };
    this.#release();
    makeFolderSync(dirname(this.#path));
    const descriptor = openSync(this.#path, 'a', 0o640);
    const { dev, ino, size } = fstatSync(descriptor);
    this.#file = { descriptor, dev, ino };
    if (size > 0 && !this.#endsWithLine(size)) append(descriptor, Buffer.of(lineEnd));
    return { descriptor, size };
  }

  #isFull({ size }: Target, { length }: Buffer): boolean {
    return size > 0 && size + length > this.#rules.maxBytes;
  }

  /** A full disk or a crash may have cut the last line. A file that may only be written to counts as whole. */
  #endsWithLine(size: number): boolean {
    let reader: number | undefined;
    try {
      reader = openSync(this.#path, 'r');
      const last = Buffer.alloc(1);
      return readSync(reader, last, 0, 1, size - 1) === 0 || last[0] === lineEnd;
    } catch {
      return true;
    } finally {
      if (reader !== undefined) closeSync(reader);
    }
  }

  /** By one process at a time: meanwhile the others add to the file although it is full. */
  #rotate(next: Buffer): void {
    const lock = `${this.#path}.rotating`;
    if (!acquire(lock)) return;
    try {
      // Another process may have been faster.
      if (!this.#isFull(this.#open(), next)) return;
      this.#release();
      renameSync(this.#path, this.#freeName());
      this.#open();
      this.#removeExcess();
    } finally {
      rmSync(lock, { force: true });
    }
  }

  #removeExcess(): void {
    const { keep } = this.#rules;
    const excess = keep === 0 ? [] : this.#setAside().slice(0, -keep);
    for (const name of excess) rmSync(join(dirname(this.#path), name), { force: true });
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

/** A disk that is nearly full takes a part and then reports an error. */
function append(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}

/** @returns whether the lock is ours. One that was abandoned is removed, for the next line to acquire. */
function acquire(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const found = statSync(lock, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > abandonedMs) rmSync(lock, { force: true });
    return false;
  }
}
