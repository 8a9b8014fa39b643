/**
 * Checks of single values that are quick because they only ever say "surely fine": parameters of most requests are, and
 * joi, which knows the reasons of refusals, is asked about the others.
 */
import type { Schema } from 'joi';

/** The checked value, or {@link unsure}. */
export type QuickCheck = (value: unknown) => unknown;

/** The schema itself has to be asked. */
export const unsure = Symbol('unsure');

const checks = new WeakMap<Schema, QuickCheck>();

/** Builds a quick check of values of `schema`; must agree with it wherever it is not {@link unsure}. */
export function withQuickCheck<S extends Schema>(schema: S, check: QuickCheck): S {
  checks.set(schema, check);
  return schema;
}

export function quickCheckOf(schema: Schema): QuickCheck {
  return checks.get(schema) ?? (() => unsure);
}

/** For a schema that also accepts the absence of a value. */
export function unlessAbsent(check: QuickCheck, fallback?: unknown): QuickCheck {
  return value => (value === undefined ? fallback : check(value));
}
