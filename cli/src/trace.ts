/** Log lines about requests, for `--log-level`; off by default. */
import { appendFileSync } from 'node:fs';
import { messageOf } from '@srv/kernel';
import type { CommandInput } from '@srv/lib-commands';

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const;
type Level = (typeof levels)[number];

export type Log = (level: Level, message: string, fields: Readonly<Record<string, unknown>>) => void;

const spellings: Readonly<Record<string, Level>> = { warning: 'warn', panic: 'error' };

/** `undefined` when nothing is to be logged; an unknown level logs nothing. */
export function createLog(globals: CommandInput['options']): Log | undefined {
  const asked = String(globals['log-level'] ?? 'none').toLowerCase();
  const least = levels.findIndex(level => level === (spellings[asked] ?? asked));
  if (least < 0) return undefined;
  const outputs = Array.isArray(globals['log-output']) ? (globals['log-output'] as string[]) : ['='];
  return (level, message, fields) => {
    if (levels.indexOf(level) < least) return;
    const line = globals['log-format'] === 'json' ? jsonLine(level, message, fields) : textLine(level, message, fields);
    for (const output of outputs) write(output, line);
  };
}

/** The same client; each call leaves a line with its time in milliseconds. Its input and output are not logged. */
export function traced<Client extends object>(client: Client, log: Log): Client {
  return new Proxy(client, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return async (...args: unknown[]) => {
        const begun = Date.now();
        const took = (): number => Date.now() - begun;
        try {
          const result: unknown = await Reflect.apply(member, target, args);
          log('debug', 'request done', { operation: name, took: took() });
          return result;
        } catch (error) {
          log('error', 'request failed', { operation: name, took: took(), error: messageOf(error) });
          throw error;
        }
      };
    },
  });
}

function write(output: string, line: string): void {
  if (output === '-') process.stdout.write(line);
  else if (output === '=') process.stderr.write(line);
  else appendFileSync(output, line);
}

function jsonLine(level: Level, msg: string, fields: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level, msg, ...fields })}\n`;
}

function textLine(level: Level, msg: string, fields: Readonly<Record<string, unknown>>): string {
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  return `time=${new Date().toISOString()} level=${level} msg=${JSON.stringify(msg)}${rest.join('')}\n`;
}
