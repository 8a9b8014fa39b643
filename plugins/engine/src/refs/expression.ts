/** Ref expressions: a base and modifiers (versioning rules, section 4.2), such as `main`, `main~2`, `v1^2~`, `main@`, `main$`. */
import { SrvError } from '@srv/kernel';

export type Step = { readonly kind: 'ancestor' | 'parent'; readonly count: number };

interface RefExpression {
  readonly base: string;
  readonly steps: readonly Step[];
  /** `@`: only what is committed; `$`: uncommitted changes included. */
  readonly view?: 'committed' | 'staging';
}

/** @throws SrvError `invalid`. */
export function parseRef(ref: string): RefExpression {
  const match = /^([^~^@$\t\n\f\r ]+)((?:[~^]\d*)*)([@$]?)$/.exec(ref);
  const [base, modifiers, view] = [match?.[1] ?? '', match?.[2] ?? '', match?.[3] ?? ''];
  if (!match || (view !== '' && modifiers !== '')) {
    throw new SrvError(
      'invalid',
      `invalid ref: ${JSON.stringify(ref)}: a branch, tag or commit id may be followed by ~n or ^n steps, or a branch by @ or $`,
    );
  }
  const steps =
    modifiers === ''
      ? []
      : [...modifiers.matchAll(/([~^])(\d*)/g)].map(
          ([, kind, count]): Step => ({ kind: kind === '~' ? 'ancestor' : 'parent', count: count === '' ? 1 : Number(count) }),
        );
  if (view === '') return { base, steps };
  return { base, steps, view: view === '@' ? 'committed' : 'staging' };
}
