/** What expressions of the shell may do with values: members and methods that cannot leave the data. */
import { UsageError } from '@srv/lib-commands';

type Method = (...args: readonly unknown[]) => unknown;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const stringMethods = words(
  'at charAt endsWith includes indexOf lastIndexOf localeCompare match padEnd padStart repeat replace replaceAll slice split startsWith substring toLowerCase toUpperCase trim trimEnd trimStart toString',
);
const arrayMethods = words(
  'at concat every filter find findIndex findLast flat flatMap includes indexOf join lastIndexOf map reduce slice some toReversed toSorted toString',
);
const numberMethods = words('toFixed toLocaleString toPrecision toString');
const dateMethods = words('getDate getDay getFullYear getHours getMinutes getMonth getTime toISOString toLocaleString toString');
const regexMethods = words('exec test');
/** Methods that would change the list: those that make a new one instead. */
const unchanging: ReadonlyMap<string, string> = new Map([
  ['sort', 'toSorted'],
  ['reverse', 'toReversed'],
]);

/** Names that every expression knows. */
export const globals: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['undefined', undefined],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['Number', (value: unknown) => Number(value)],
  ['String', (value: unknown) => String(value)],
  ['Boolean', (value: unknown) => Boolean(value)],
  ['Date', (value: unknown) => new Date(typeof value === 'number' || typeof value === 'string' ? value : Date.now())],
  ['Math', Object.fromEntries(Object.getOwnPropertyNames(Math).map(name => [name, Reflect.get(Math, name)]))],
  ['JSON', { stringify: (value: unknown) => JSON.stringify(value), parse: (text: unknown) => JSON.parse(String(text)) as unknown }],
  [
    'Object',
    {
      keys: (value: unknown) => Object.keys(Object(value)),
      values: (value: unknown) => Object.values(Object(value)),
      entries: (value: unknown) => Object.entries(Object(value)),
    },
  ],
]);

/** A member of a value. Of objects only what they hold themselves; of everything else the methods above. */
export function memberOf(value: unknown, name: string | number): unknown {
  if (value === undefined || value === null) throw new UsageError(`${String(name)} cannot be read of ${String(value)}`);
  const key = String(name);
  if (typeof value === 'string')
    return key === 'length' || /^\d+$/.test(key) ? Reflect.get(Object(value), key) : method(value, key, stringMethods);
  if (Array.isArray(value))
    return key === 'length' || /^\d+$/.test(key) ? Reflect.get(value, key) : method(value, unchanging.get(key) ?? key, arrayMethods);
  if (typeof value === 'number') return method(value, key, numberMethods);
  if (value instanceof Date) return method(value, key, dateMethods);
  if (value instanceof RegExp) return method(value, key, regexMethods);
  if (typeof value !== 'object') return undefined;
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function method(value: unknown, name: string, known: ReadonlySet<string>): Method | undefined {
  if (!known.has(name)) return undefined;
  const found: unknown = Reflect.get(Object(value), name);
  return typeof found === 'function' ? (...args) => Reflect.apply(found, value, args) as unknown : undefined;
}

export function called(callee: unknown, args: readonly unknown[], what: string): unknown {
  if (typeof callee !== 'function') throw new UsageError(`${what} is not something that can be called here`);
  return Reflect.apply(callee, undefined, [...args]) as unknown;
}
