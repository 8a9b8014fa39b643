/** An S3 client program, and what it is asked to do. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { accessKeyId, secretAccessKey } from '../support/server.js';

/** A branch without objects, beside `main`. */
export const emptyBranch = 'empty';

/** Where a program works. */
export interface Site {
  readonly url: string;
  /** `127.0.0.1:<port>` */
  readonly host: string;
  readonly bucket: string;
  /** Local folder for files of the program; also its home. */
  readonly folder: string;
  /** File of the certificate to trust; absent: the server is reached in the clear. */
  readonly certificate?: string;
}

/** What clients do. Absent: the program does not offer it. Keys are those of the bucket, ref included. */
export interface Steps {
  /** @returns text that names the buckets. */
  buckets?(): Promise<string>;
  put?(file: string, key: string): Promise<unknown>;
  get?(key: string, file: string): Promise<unknown>;
  /** @returns the bytes from `first` to `last`, inclusive, as text. */
  range?(key: string, first: number, last: number): Promise<string>;
  /** Puts a file in parts. */
  putLarge?(file: string, key: string): Promise<unknown>;
  copy?(from: string, to: string): Promise<unknown>;
  remove?(key: string): Promise<unknown>;
  /** Uploads the files below a folder. */
  syncUp?(folder: string, prefix: string): Promise<unknown>;
  /** Downloads everything below a prefix, which ends in `/`. */
  syncDown?(prefix: string, folder: string): Promise<unknown>;
  /** Copies everything below a prefix to another one, on the server. Both end in `/`. */
  copyAll?(from: string, to: string): Promise<unknown>;
  /** Removes everything below a prefix, which ends in `/`. */
  removeAll?(prefix: string): Promise<unknown>;
  /** What only this program is asked for, by name. @param prefix ends in `/`. */
  readonly more?: Readonly<Record<string, (prefix: string) => Promise<unknown>>> | undefined;
  /** Ends a program that waits for further steps. */
  end?(): Promise<unknown>;
}

interface Inexpressible {
  readonly names: RegExp;
  /** Why it is the client, and not the gateway. */
  readonly because: string;
}

export interface S3Program {
  readonly name: string;
  /** Of the installed program; `undefined`: it is not there. */
  version(): Promise<string | undefined>;
  /** Over TLS it speaks HTTP/2. */
  readonly http2?: boolean;
  /** Names that it cannot carry, to any server. */
  readonly inexpressible?: readonly Inexpressible[];
  steps(site: Site): Steps;
}

/** XML 1.0 has no such characters, neither as they are nor as references. */
export const notInXml: Inexpressible = {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
  names: /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/,
  because: 'it lists keys without `encoding-type=url`',
};

/** Whether a program can carry a name. */
export function canCarry({ inexpressible = [] }: Pick<S3Program, 'inexpressible'>): (name: string) => boolean {
  return name => !inexpressible.some(({ names }) => names.test(name));
}

/** Settings for other servers must not matter here. */
const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AWS|RCLONE)_/.test(name)));

/** Runs a program. @returns what it printed on standard output. @throws Error with everything it printed when it fails. */
export function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      env: {
        ...inherited,
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        AWS_DEFAULT_REGION: 'us-east-1',
        AWS_EC2_METADATA_DISABLED: 'true',
        LC_ALL: 'C.UTF-8',
        ...env,
      },
      timeout: 600_000,
      maxBuffer: 16 << 20,
    };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} ${args.join(' ')}: ${error.message}\n${stdout}${stderr}`.slice(0, 8000)));
      else resolve(stdout);
    });
  });
}

/** The version in what a program prints; `undefined` when it is not there. */
export async function versionOf(program: string, ...args: readonly string[]): Promise<string | undefined> {
  const text = await run(program, args).catch(() => undefined);
  return text === undefined ? undefined : (/\d+(\.\d+)+/.exec(text)?.[0] ?? 'unknown');
}

/** Paths of all files below a folder. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
}
