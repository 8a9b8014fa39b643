/** Watches over taps of lifecycle hooks: names the one that fails or hangs, and lists who taps what. */
import { type AsyncParallelHook, type AsyncSeriesHook, HookMap } from 'tapable';
import { SrvError, messageOf } from './errors.js';
import type { Hooks } from './hooks.js';

/** Settles as `work` does, or fails with `timeout` after `ms` milliseconds. */
export async function deadline<T>(work: T | Promise<T>, what: string, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SrvError('timeout', `${what} did not finish within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, expiry]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Gives every tap of a lifecycle hook a time limit and an error that names its plugin. With `reverse` later taps run
 * first, and a failing tap does not keep the others from running.
 * @returns with `reverse`: the failures of the taps that ran, for the caller to report.
 */
export function guardTaps(
  hook: AsyncSeriesHook<[]> | AsyncParallelHook<[]>,
  what: string,
  ms: number,
  { reverse = false } = {},
): readonly string[] {
  let stage = 0;
  const failures: string[] = [];
  hook.intercept({
    register: tap => {
      const run = tap.fn as () => unknown;
      if (tap.type === 'async') throw new SrvError('plugin', `plugin ${tap.name} taps ${what} with a callback; use tapPromise`);
      const guarded = async (): Promise<void> => {
        try {
          await deadline(run(), what, ms);
        } catch (error) {
          const failure = `plugin ${tap.name} failed in ${what}: ${messageOf(error)}`;
          if (!reverse) throw new SrvError(error instanceof SrvError ? error.code : 'plugin', failure, { cause: error });
          failures.push(failure);
        }
      };
      return { ...tap, type: 'promise', fn: guarded, ...(reverse ? { stage: --stage } : {}) };
    },
  });
  return failures;
}

/** What tapable keeps but its types leave out. */
interface KeyedHooks {
  readonly _map: ReadonlyMap<string, { readonly taps: readonly { readonly name: string }[] }>;
}

/** Hook name -> plugin names, in order. Keys of hook maps appear as `event[pre-commit]`. */
export function tapsOf(hooks: Hooks): Record<string, string[]> {
  const wiring: Record<string, string[]> = {};
  const note = (name: string, hook: { readonly taps: readonly { readonly name: string }[] }): void => {
    if (hook.taps.length > 0) wiring[name] = hook.taps.map(t => t.name);
  };
  for (const [name, hook] of Object.entries(hooks)) {
    if (!(hook instanceof HookMap)) note(name, hook);
    else for (const [key, entry] of (hook as unknown as KeyedHooks)._map) note(`${name}[${key}]`, entry);
  }
  return wiring;
}
