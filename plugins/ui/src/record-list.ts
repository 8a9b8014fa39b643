/** Configuration keys whose value is a list of records: in YAML, or as JSON in a variable. */
import type { ConfigKey } from '@srv/kernel';

/** What a field holds; `undefined`: it is absent. Others throw an Error that says what is allowed. */
type Field<T> = (raw: unknown) => T;
type Fields = Readonly<Record<string, Field<unknown>>>;
type RecordOf<F extends Fields> = { readonly [name in keyof F]: ReturnType<F[name]> };

export function recordList<const F extends Fields>(facts: { readonly type: string; readonly meaning: string }, fields: F) {
  const key: ConfigKey<readonly RecordOf<F>[]> & { readonly default: readonly never[] } = {
    ...facts,
    default: [],
    decode: raw => itemsOf(raw).map((item, i) => decodeItem(item, fields, i + 1)),
  };
  return key;
}

function itemsOf(raw: unknown): readonly unknown[] {
  const items: unknown = typeof raw === 'string' ? fromJson(raw) : raw;
  if (!Array.isArray(items)) throw new Error(`a list of records, not ${kindOf(items)}`);
  return items;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a record';
  return `the ${typeof value === 'string' ? 'text' : typeof value} ${JSON.stringify(value)}`;
}

function fromJson(text: string): unknown {
  try {
    return text.trim() === '' ? [] : JSON.parse(text);
  } catch {
    throw new Error('a list of records; in a variable, as JSON');
  }
}

function decodeItem<F extends Fields>(item: unknown, fields: F, number: number): RecordOf<F> {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    throw new Error(`a list of records; item ${number} is ${kindOf(item)}`);
  const unknown = Object.keys(item).find(name => !(name in fields));
  if (unknown !== undefined)
    throw new Error(`records with the fields ${Object.keys(fields).join(', ')}; item ${number} has the unknown field ${unknown}`);
  const values = new Map(Object.entries(item));
  const decoded = Object.entries(fields).map(([name, field]) => {
    try {
      return [name, field(values.get(name))] as const;
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : String(error)} as ${name} of item ${number}`);
    }
  });
  return Object.fromEntries(decoded) as RecordOf<F>;
}

export function filledText(raw: unknown): string {
  if (typeof raw !== 'string' || raw === '') throw new Error('a text');
  return raw;
}

/** `undefined` where it is absent. */
export function maybeText(raw: unknown): string | undefined {
  return raw === undefined || raw === null ? undefined : filledText(raw);
}

/** False where it is absent. */
export function flag(raw: unknown): boolean {
  if (raw === undefined || raw === null) return false;
  if (typeof raw !== 'boolean') throw new Error('true or false');
  return raw;
}

/** The first one where it is absent. */
export function choice<const T extends string>(first: T, ...others: readonly T[]): Field<T> {
  const all = [first, ...others];
  return raw => {
    if (raw === undefined || raw === null) return first;
    const found = all.find(value => value === raw);
    if (found === undefined) throw new Error(`one of ${all.join(', ')}`);
    return found;
  };
}

export function texts(raw: unknown): readonly string[] {
  if (raw === undefined || raw === null) return [];
  if (!Array.isArray(raw) || !raw.every(item => typeof item === 'string' && item !== '')) throw new Error('a list of texts');
  return raw as readonly string[];
}

/** `http`, `https`, or a path of this server. */
export function webAddress(raw: unknown): string {
  const text = filledText(raw);
  if (/^\/(?![/\\])/.test(text)) return text;
  if (originOf(text) === undefined) throw new Error('an http or https URL, or a path that begins with a slash');
  return text;
}

/** Of other hosts, as a policy names them: `https://stats.example.com`. */
export function origins(raw: unknown): readonly string[] {
  const found = texts(raw);
  if (!found.every(text => originOf(text) === text)) throw new Error('a list of origins such as https://stats.example.com');
  return found;
}

/** `undefined` for what is not an `http` or `https` URL. */
export function originOf(text: string): string | undefined {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).origin : undefined;
}
