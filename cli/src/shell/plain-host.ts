/** Names and variables of JavaScript without node:repl, whose domains would slow down a server for as long as it runs. */
import { builtinModules, createRequire } from 'node:module';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { createContext } from 'node:vm';
import type { Context } from 'node:vm';

/** What evaluates JavaScript; a REPLServer is one. */
export interface EvaluationHost {
  readonly context: Context;
  readonly output: NodeJS.WritableStream;
  readonly writer: (value: unknown) => string;
  close(): void;
}

export function plainHost(output: NodeJS.WritableStream): EvaluationHost {
  const host = {
    context: createContext(),
    output,
    writer: (value: unknown) => inspect(value),
    last: undefined as unknown,
    close: () => {},
  };
  const { context } = host;
  const own = new Set(Object.getOwnPropertyNames(context));
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const property = Object.getOwnPropertyDescriptor(globalThis, name);
    if (!own.has(name) && property && name !== 'globalThis') Object.defineProperty(context, name, { ...property, configurable: true });
  }
  const require = createRequire(resolve('.', 'shell'));
  for (const name of builtinModules)
    if (/^[a-z_]+$/.test(name) && !name.startsWith('_'))
      Object.defineProperty(context, name, {
        configurable: true,
        get: () => require(name) as unknown,
        set: value => {
          define(context, name, value);
        },
      });
  define(context, 'require', require);
  Object.defineProperty(context, '_', {
    configurable: true,
    get: () => host.last,
    set: value => {
      define(context, '_', value);
    },
  });
  return host;
}

function define(context: Context, name: string, value: unknown): void {
  Object.defineProperty(context, name, { value, writable: true, configurable: true, enumerable: true });
}
