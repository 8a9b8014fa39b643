/** What stands in place of the content of refs that do not exist; the picker above it leads to another one. */
import { Empty, Failed, Refusal, shortRef, shownName } from '@srv/lib-page/page';

interface MissingRefProps {
  /** Those that do not exist. */
  readonly refs: readonly string[];
  readonly error: unknown;
  readonly retry: () => void;
}

export function MissingRef({ refs, error, retry }: MissingRefProps) {
  if (!isMissing(error)) return <Failed error={error} retry={retry} />;
  return (
    <Empty icon="search" title={`There is no ${refs.map(ref => shownName(shortRef(ref))).join(' or ')} here`}>
      <p>It was deleted, or is spelled otherwise. Choose a branch, a tag or a commit above.</p>
    </Empty>
  );
}

/** Whether an error says that a ref does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Refusal && (error.status === 404 || error.status === 400);
}
