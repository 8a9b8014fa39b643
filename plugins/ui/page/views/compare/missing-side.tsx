/** What stands in place of a comparison that failed: which of its refs do not exist. */
import { Failed, With, useAsync } from '@srv/lib-page/page';
import { resolveRef } from '../../core/refs.js';
import { MissingRef, isMissing } from '../../parts/missing-ref.js';

interface MissingSideProps {
  readonly repository: string;
  readonly base: string;
  readonly compared: string;
  readonly error: unknown;
  readonly retry: () => void;
}

export function MissingSide({ repository, base, compared, error, retry }: MissingSideProps) {
  const missing = useAsync(signal => missingOf(repository, [base, compared], signal), [repository, base, compared, error]);
  return (
    <With answer={missing}>
      {refs => (refs.length > 0 ? <MissingRef refs={refs} error={error} retry={retry} /> : <Failed error={error} retry={retry} />)}
    </With>
  );
}

async function missingOf(repository: string, refs: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  const found = await Promise.all(
    refs.map(ref =>
      resolveRef(repository, ref, signal).then(
        () => false,
        (error: unknown) => isMissing(error),
      ),
    ),
  );
  return refs.filter((_, i) => found[i]);
}
