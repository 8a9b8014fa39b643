/** What stands in place of the content of a ref that does not exist; the picker above it leads to another one. */
import { Empty, Failed, Refusal, shortRef, shownName } from '@srv/lib-page/page';

interface MissingRefProps {
  readonly ref_: string;
  readonly error: unknown;
  readonly retry: () => void;
}

export function MissingRef({ ref_: ref, error, retry }: MissingRefProps) {
  if (!(error instanceof Refusal) || (error.status !== 404 && error.status !== 400)) return <Failed error={error} retry={retry} />;
  return (
    <Empty icon="search" title={`There is no ${shownName(shortRef(ref))} here`}>
      <p>It was deleted, or is spelled otherwise. Choose a branch, a tag or a commit above.</p>
    </Empty>
  );
}
