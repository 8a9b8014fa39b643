/** What the load generators have in common. */

import { randomBytes } from 'node:crypto';
import { text as textOfStream } from 'node:stream/consumers';
import { numberOf, readNamed, textOf } from '@srv/lib-commands';
import { runLoad } from './load.js';
import type { Client } from '@srv/engine/client';
import type { CommandContext, CommandInput, CommandOption, RefUri } from '@srv/lib-commands';
import type { LoadReport } from './load.js';

export const amountOption = (amount: number): CommandOption => ({
  name: 'amount',
  type: 'int',
  default: amount,
  description: 'how many times to do it',
});
export const parallelismOption: CommandOption = { name: 'parallelism', type: 'int', default: 100, description: 'how many at a time' };
export const prefixOption: CommandOption = { name: 'prefix', type: 'string', default: 'abuse/', description: 'prefix of the paths' };
export const fromFileOption: CommandOption = {
  name: 'from-file',
  type: 'string',
  required: true,
  description: 'file of paths, one per line, or "-" for standard input',
};

/** Runs a load as the options say. @throws Error for an amount below 0. */
export function load<T>(
  context: CommandContext,
  input: CommandInput,
  name: string,
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<unknown>,
): Promise<LoadReport> {
  const parallelism = input.options.parallelism === undefined ? 1 : context.parallelism(input.options.parallelism);
  return runLoad({ name, items, parallelism, signal: context.signal, work, onLine: context.tell });
}

export function amountOf({ options }: CommandInput): number {
  return numberOf(options.amount) ?? 0;
}

/** Paths of `--from-file`, picked at random. @throws Error for an empty file. */
export async function randomKeys({ tell }: CommandContext, input: CommandInput): Promise<Iterable<string>> {
  const file = textOf(input.options['from-file']) ?? '';
  const content = file === '-' ? await textOfStream(process.stdin) : (await readNamed(file)).toString('utf8');
  const keys = content.split('\n').filter(line => line !== '');
  if (keys.length === 0) throw new Error(`${file} holds no paths`);
  tell(`read a total of ${keys.length} keys from key file`);
  return pick(keys, amountOf(input));
}

function* pick(keys: readonly string[], amount: number): Generator<string> {
  for (let index = 0; index < amount; index++) yield keys[Math.floor(Math.random() * keys.length)] ?? '';
}

/** Makes an entry without writing data. */
export async function linkEmpty(api: Client, { repository, ref: branch }: RefUri, path: string): Promise<void> {
  const staging = await api.getPhysicalAddress({ repository, branch, path });
  const body = { staging, checksum: '00695c7307b0480c7b6bdc873cf05c15', size_bytes: 0 };
  await api.linkPhysicalAddress({ repository, branch, path, body });
}

/** Eight letters that distinguish runs. */
export function runName(): string {
  return randomBytes(4).toString('hex');
}
