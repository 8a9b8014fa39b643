/** The differences that are meant, each with its reason. */
import type { Difference } from './comparison.js';

export interface KnownDifference {
  /** {@link Difference.text}. */
  readonly difference: string;
  readonly reason: string;
}

interface Judgement {
  /** Nothing is lost by these. */
  readonly additions: readonly Difference[];
  readonly explained: readonly (Difference & { readonly reason: string })[];
  readonly unexplained: readonly Difference[];
  /** Explanations of what does not differ, or no longer. */
  readonly stale: readonly KnownDifference[];
}

/** Sorts differences into those that are fine, meant, and wrong. */
export function judge(differences: readonly Difference[], known: readonly KnownDifference[]): Judgement {
  const reasons = new Map(known.map(({ difference, reason }) => [difference, reason]));
  const texts = new Set(differences.map(({ text }) => text));
  const notable = differences.filter(({ kind }) => kind !== 'added');
  return {
    additions: differences.filter(({ kind }) => kind === 'added'),
    explained: notable.flatMap(difference => {
      const reason = reasons.get(difference.text);
      return reason === undefined ? [] : [{ ...difference, reason }];
    }),
    unexplained: notable.filter(({ text }) => !reasons.has(text)),
    stale: known.filter(({ difference }) => !texts.has(difference)),
  };
}
