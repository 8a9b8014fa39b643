/** A table that cannot be read: only requests can go better another time, the file stays as it is. */
import { Failed, Refusal } from '@srv/lib-page/page';

export function TableFailed({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  return error instanceof Refusal ? <Failed error={error} retry={retry} /> : <Failed error={error} />;
}
