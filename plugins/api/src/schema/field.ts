/**
 * joi schemas that know their TypeScript type, so that one declaration gives validation, the OpenAPI document, the input
 * of a handler and the methods of the client. `Out` is what validation yields, `In` what a caller may write.
 */
import Joi from 'joi';

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
  return schema.required();
}

/** Text that `problemOf` accepts by returning nothing. */
export function checkedText(problemOf: (text: string) => string | undefined): Field<string> {
  const check: Joi.CustomValidator<string> = (value, helpers) => {
    const problem = problemOf(value);
    return problem === undefined ? value : helpers.message({ custom: problem });
  };
  return Joi.string().allow('').custom(check).required();
}

export function oneOf<const V extends readonly string[]>(...values: V): Field<V[number]> {
  return Joi.string()
    .valid(...values)
    .required();
}

/** A whole number that JavaScript holds exactly. */
export function integer({ min, max }: { min?: number; max?: number } = {}): Field<number> {
  let schema = Joi.number().integer();
  if (min !== undefined) schema = schema.min(min);
  if (max !== undefined) schema = schema.max(max);
  return schema.required();
}

/** In queries also `1`, `t` and `True`, as older clients write them; in bodies only the JSON values. */
export function flag(): Field<boolean> {
  return Joi.boolean().truthy('1', 't').falsy('0', 'f').required();
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
  return Joi.array().items(item.optional()).optional();
}

export function mapOf<O, I>(value: Field<O, I>): Field<Readonly<Record<string, O>>, Readonly<Record<string, I>>> {
  return Joi.object().pattern(Joi.string(), value).required();
}

export function record<F extends Fields>(fields: F): Field<OutOf<F>, InOf<F>> {
  return Joi.object({ ...fields }).required();
}

export function optional<O, I>(field: Field<O, I>): Field<O | undefined, I | undefined> {
  return field.optional();
}

/** Optional for who calls, always there for who handles. */
export function withDefault<O extends string | number | boolean, I>(field: Field<O, I>, value: O): Field<O, I | undefined> {
  return field.optional().default(value);
}

/** `null` counts as absent: some clients write every field. */
export function nullable<O, I>(field: Field<O, I>): Field<O | undefined, I | null | undefined> {
  return field.optional().empty(null);
}
