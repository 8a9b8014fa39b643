/** Watches over the taps of hooks: names the plugin whose tap fails or hangs, and lists who taps what. */
import { HookMap } from 'tapable';
import { formatDuration, nearest } from './config/index.js';
import { SrvError, messageOf } from './errors.js';

/** Settles as `work` does, or fails with `timeout` after `ms` milliseconds. */
export function deadline<T>(work: T | Promise<T>, what: string, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = (): void => reject(new SrvError('timeout', `${what} did not finish within ${formatDuration(ms)}`));
    const timer = setTimeout(expire, ms);
    // Every event of a repository comes this way: a race of promises would cost three times as much.
    Promise.resolve(work).then(
      value => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** What tapable hands to `register`, with what its types leave out. */
interface Tap {
  readonly name: string;
  readonly type: 'sync' | 'async' | 'promise';
  readonly fn: (...args: unknown[]) => unknown;
}

/** The parts of a hook that all kinds share; tapable's own types tie them to the arguments of one hook. */
interface AnyHook {
  readonly taps: readonly { readonly name: string }[];
  intercept(interceptor: { register(tap: Tap): Tap }): void;
}
interface AnyHookMap {
  readonly _map: ReadonlyMap<string, AnyHook>;
  intercept(interceptor: { factory(key: string, hook: object): object }): void;
}

interface GuardOptions {
  /** Milliseconds a tap may take. Absent: its caller sets the limit, or it cannot hang. */
  readonly limit?: number | undefined;
  /** Of a hook map: the keys there are; a tap of any other would never be called. Absent: every key may be one. */
  readonly keys?: readonly string[] | undefined;
  /** Runs before the tap. */
  readonly before?: (plugin: string) => void;
}

/**
 * Makes every failure of a tap name its plugin. An error of a class of its own (`SrvError`, a face's own errors) is an
 * answer and passes unchanged; anything else is a fault of the plugin and becomes a `plugin` error.
 */
export function guardHook(hook: object, what: string, { limit, before }: GuardOptions = {}): void {
  (hook as AnyHook).intercept({
    register: tap => {
      refuseCallback(tap, what);
      const run = (args: unknown[]): unknown => {
        before?.(tap.name);
        return tap.fn(...args);
      };
      if (tap.type === 'sync') {
        return {
          ...tap,
          fn(...args) {
            try {
              return run(args);
            } catch (error) {
              throw namedFault(error, tap.name, what);
            }
          },
        };
      }
      return {
        ...tap,
        async fn(...args) {
          try {
            return await (limit === undefined ? run(args) : deadline(run(args), `plugin ${tap.name} in ${what}`, limit));
          } catch (error) {
            throw namedFault(error, tap.name, what);
          }
        },
      };
    },
  });
}

/** {@link guardHook} for every hook of a map. */
export function guardHookMap(map: object, what: string, options: GuardOptions = {}): void {
  (map as AnyHookMap).intercept({
    factory: (key, hook) => {
      if (options.keys && !options.keys.includes(key)) throw new SrvError('plugin', noSuch(`${what} has no key`, key, options.keys));
      guardHook(hook, `${what}[${key}]`, options);
      return hook;
    },
  });
}

/**
 * Guards a lifecycle hook: every failure is prefixed with the plugin, whatever its class. With `reverse` later taps run
 * first, and a failing tap does not keep the others from running.
 * @returns with `reverse`: the failures of the taps that ran, for the caller to report.
 */
export function guardLifecycle(
  hook: object,
  what: string,
  { limit, before, reverse = false }: GuardOptions & { readonly limit: number; readonly reverse?: boolean },
): readonly string[] {
  let stage = 0;
  const failures: string[] = [];
  (hook as AnyHook).intercept({
    register: tap => {
      refuseCallback(tap, what);
      const guarded = async (...args: unknown[]): Promise<void> => {
        try {
          before?.(tap.name);
          await deadline(tap.fn(...args), what, limit);
        } catch (error) {
          const failure = `plugin ${tap.name} failed in ${what}: ${messageOf(error)}${placeOf(error)}`;
          if (!reverse) throw new SrvError(error instanceof SrvError ? error.code : 'plugin', failure, { cause: error });
          failures.push(failure);
        }
      };
      return { ...tap, type: 'promise', fn: guarded, ...(reverse ? { stage: --stage } : {}) };
    },
  });
  return failures;
}

function refuseCallback({ type, name }: Tap, what: string): void {
  if (type === 'async') throw new SrvError('plugin', `plugin ${name} taps ${what} with a callback; use tapPromise`);
}

/** Names of the error classes that JavaScript and Node.js throw. */
const builtInErrors = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'URIError',
  'EvalError',
  'AggregateError',
]);

function namedFault(error: unknown, plugin: string, what: string): unknown {
  if (error instanceof Error && !builtInErrors.has(error.name)) return error;
  return new SrvError('plugin', `plugin ${plugin} failed in ${what}: ${messageOf(error)}${placeOf(error)}`, { cause: error });
}

const longestFrame = 1000;
const frame = /^(?:\s*at )?(?:.*\()?((?:file:\/\/)?\/[^()]*:\d+)\)?$/;

/** Where a fault of a program lies, as ` (at file:line:column)`; empty for answers, which say themselves what is wrong. */
export function placeOf(error: unknown): string {
  if (!(error instanceof Error) || !builtInErrors.has(error.name)) return '';
  // Lines of a message may be of any length.
  const lines = (error.stack ?? '').split('\n').filter(line => line.length < longestFrame);
  const places = lines.map(line => frame.exec(line)?.[1]);
  const place = places.find(found => found !== undefined);
  if (place === undefined) return '';
  return ` (at ${place.startsWith('file:') ? decodeURIComponent(new URL(place).pathname) : place})`;
}

/** Hooks by their names; a name that no hook has is refused, with the nearest one. */
export function namedHooks<H extends object>(hooks: H): H {
  const names = Object.keys(hooks);
  return new Proxy(hooks, {
    get(target, name, receiver): unknown {
      // What asks whether something is a promise, or how to print it, asks for no hook.
      if (typeof name === 'symbol' || name in target || name === 'then' || name === 'toJSON') return Reflect.get(target, name, receiver);
      throw new SrvError('plugin', noSuch('there is no hook', name, names));
    },
  });
}

/** Says that a name is unknown, and which one may be meant. */
export function noSuch(what: string, name: string, names: readonly string[]): string {
  const guess = nearest(name, names);
  return `${what} ${JSON.stringify(name)}; ${guess === undefined ? `there are ${names.join(', ')}` : `did you mean ${guess}?`}`;
}

/** Keys of a hook map that at least one plugin taps, sorted. */
export function tappedKeys(map: object): string[] {
  return [...(map as AnyHookMap)._map]
    .filter(([, hook]) => hook.taps.length > 0)
    .map(([key]) => key)
    .sort();
}

/** Hook name -> plugin names, in order. Keys of hook maps appear as `event[pre-commit]`. */
export function tapsOf(hooks: object): Record<string, string[]> {
  const wiring: Record<string, string[]> = {};
  const note = (name: string, hook: Pick<AnyHook, 'taps'>): void => {
    if (hook.taps.length > 0) wiring[name] = hook.taps.map(t => t.name);
  };
  for (const [name, hook] of Object.entries(hooks) as [string, object][]) {
    if (!(hook instanceof HookMap)) note(name, hook as AnyHook);
    else for (const [key, entry] of (hook as object as AnyHookMap)._map) note(`${name}[${key}]`, entry);
  }
  return wiring;
}
