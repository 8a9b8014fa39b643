/** Stores whose calls take their time, so that requests meet in ever new orders. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Random } from './random.js';

/** Every call that answers with a promise pauses before and after, as `random` says. */
export function jittery<T extends object>(store: T, random: Random): T {
  const pause = async (): Promise<void> => {
    const draw = random.below(8);
    if (draw < 3) await setTimeout(draw * 2);
    else for (let turn = 3; turn < draw; turn++) await setImmediate();
  };
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || name === 'close' || name === 'scan' || name === 'walk') return bound(value, target);
      return (...given: unknown[]) => {
        if (!isAsync.has(String(name))) return Reflect.apply(value, target, given) as unknown;
        return pause().then(async () => {
          try {
            return (await Reflect.apply(value, target, given)) as unknown;
          } finally {
            await pause();
          }
        });
      };
    },
  });
}

const isAsync = new Set(
  'get set setIf delete put exists properties remove createMultipart uploadPart copyPart listParts completeMultipart abortMultipart'.split(
    ' ',
  ),
);

function bound(value: unknown, target: object): unknown {
  return typeof value === 'function' ? (value.bind(target) as unknown) : value;
}
