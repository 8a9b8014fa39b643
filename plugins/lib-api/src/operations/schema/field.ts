/**
 * joi schemas that know their TypeScript type, so that one declaration gives validation, the OpenAPI document, the input
 * of a handler and the methods of the client. `Out` is what validation yields, `In` what a caller may write.
 */
import Joi from 'joi';
import { quickCheckOf, unlessAbsent, unsure, withQuickCheck } from './quick-check.js';

declare const shape: unique symbol;

export type Field<Out = unknown, In = Out> = Joi.AnySchema & { readonly [shape]?: { readonly out: Out; readonly in: In } };
export type Fields = Readonly<Record<string, Field>>;

export type Out<F> = F extends { readonly [shape]?: { readonly out: infer T } } ? T : never;
export type In<F> = F extends { readonly [shape]?: { readonly in: infer T } } ? T : never;

type Flat<T> = { readonly [K in keyof T]: T[K] };
/** Properties that may be undefined may be left out. */
type Loose<T> = Flat<
  { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & { [K in keyof T as undefined extends T[K] ? K : never]?: T[K] }
>;

export type OutOf<F extends Fields> = Loose<{ [K in keyof F]: Out<F[K]> }>;
export type InOf<F extends Fields> = Loose<{ [K in keyof F]: In<F[K]> }>;

export interface TextRules {
  /** Refuses the empty text. */
  readonly filled?: boolean;
  readonly pattern?: RegExp;
  /** Bytes in UTF-8. */
  readonly maxBytes?: number;
  /** Says what is wrong when the text is empty, too long or does not match. */
  readonly problem?: string;
}

export function text({ filled = false, pattern, maxBytes, problem }: TextRules = {}): Field<string> {
  let schema = Joi.string();
  if (!filled && !pattern) schema = schema.allow('');
  if (pattern) schema = schema.pattern(pattern);
  if (maxBytes !== undefined) schema = schema.max(maxBytes, 'utf8');
  if (problem !== undefined) schema = schema.messages({ 'string.pattern.base': problem, 'string.empty': problem, 'string.max': problem });
  return withQuickCheck(schema.required(), value =>
    typeof value === 'string' &&
    (value !== '' || (!filled && !pattern)) &&
    (pattern === undefined || pattern.test(value)) &&
    (maxBytes === undefined || Buffer.byteLength(value) <= maxBytes)
      ? value
      : unsure,
  );
}

/** Text that `problemOf` accepts by returning nothing. */
export function checkedText(problemOf: (text: string) => string | undefined): Field<string> {
  const check: Joi.CustomValidator<string> = (value, helpers) => {
    const problem = problemOf(value);
    return problem === undefined ? value : helpers.message({ custom: problem });
  };
  return withQuickCheck(Joi.string().allow('').custom(check).required(), value =>
    typeof value === 'string' && value !== '' && problemOf(value) === undefined ? value : unsure,
  );
}

export function oneOf<const V extends readonly string[]>(...values: V): Field<V[number]> {
  const schema = Joi.string()
    .valid(...values)
    .required();
  return withQuickCheck(schema, value => (values.some(v => v === value) ? value : unsure));
}

export interface NumberRules {
  readonly min?: number;
  readonly max?: number;
  /** Says what is wrong when the number is too small or too large; `{{#label}}` and `{{#value}}` stand for its name and value. */
  readonly problem?: string;
}

/** A whole number that JavaScript holds exactly. */
export function integer({ min, max, problem }: NumberRules = {}): Field<number> {
  let schema = Joi.number().integer();
  if (min !== undefined) schema = schema.min(min);
  if (max !== undefined) schema = schema.max(max);
  if (problem !== undefined) schema = schema.messages({ 'number.min': problem, 'number.max': problem, 'number.unsafe': problem });
  return withQuickCheck(schema.required(), value => {
    const whole = typeof value === 'string' && /^(0|[1-9]\d{0,8})$/.test(value) ? Number(value) : Number.NaN;
    return whole >= (min ?? 0) && whole <= (max ?? whole) ? whole : unsure;
  });
}

/** In queries also `1`, `t` and `True`, as older clients write them; in bodies only the JSON values. */
export function flag(): Field<boolean> {
  return withQuickCheck(Joi.boolean().truthy('1', 't').falsy('0', 'f').required(), value =>
    value === 'true' ? true : value === 'false' ? false : unsure,
  );
}

/** An RFC 3339 time. */
export function time(): Field<Date, Date | string> {
  return Joi.date().iso().required();
}

export function list<O, I>(item: Field<O, I>, { min }: { min?: number } = {}): Field<readonly O[], readonly I[]> {
  // A required item would demand that the list is not empty.
  const schema = Joi.array().items(item.optional());
  return (min === undefined ? schema : schema.min(min)).required();
}

/** A list in a query: the parameter may be repeated, and one value needs no repetition. */
export function repeated(item: Field<string>): Field<readonly string[] | undefined> {
  return withQuickCheck(Joi.array().items(item.optional()).optional(), value => (value === undefined ? undefined : unsure));
}

export function mapOf<O, I>(value: Field<O, I>): Field<Readonly<Record<string, O>>, Readonly<Record<string, I>>> {
  return Joi.object()
    .pattern(Joi.string().allow(''), value)
    .custom((copy: Record<string, unknown>, { original }) => withPrototypeName(copy, original as object, value))
    .required();
}

/** The copies that joi makes lose a member of this name. */
function withPrototypeName(copy: Record<string, unknown>, original: object, schema: Field): Record<string, unknown> {
  if (!Object.hasOwn(original, '__proto__')) return copy;
  const result = schema.validate(Object.getOwnPropertyDescriptor(original, '__proto__')?.value) as { value?: unknown; error?: Error };
  if (result.error) throw result.error;
  return Object.fromEntries([...Object.entries(copy), ['__proto__', result.value]]);
}

export function record<F extends Fields>(fields: F): Field<OutOf<F>, InOf<F>> {
  return Joi.object({ ...fields }).required();
}

export function optional<O, I>(field: Field<O, I>): Field<O | undefined, I | undefined> {
  return withQuickCheck(field.optional(), unlessAbsent(quickCheckOf(field)));
}

/** Optional for the caller, always present for the handler. */
export function withDefault<O extends string | number | boolean, I>(field: Field<O, I>, value: O): Field<O, I | undefined> {
  return withQuickCheck(field.optional().default(value), unlessAbsent(quickCheckOf(field), value));
}

/** `null` counts as absent: some clients write every field. */
export function nullable<O, I>(field: Field<O, I>): Field<O | undefined, I | null | undefined> {
  return field.optional().empty(null);
}
