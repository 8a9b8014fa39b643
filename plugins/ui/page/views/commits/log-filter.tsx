/** Only the commits that changed an object, or what is below a prefix. */
import { Button, shownName, usePlace } from '@srv/lib-page/page';

export interface LogFilter {
  readonly object: string | undefined;
  readonly prefix: string | undefined;
}

/** What the address asks for; `undefined`: all commits. */
export function useLogFilter(): LogFilter | undefined {
  const { object, prefix } = usePlace().query;
  return object === undefined && prefix === undefined ? undefined : { object, prefix };
}

export function LogFilterBadge({ filter: { object, prefix } }: { readonly filter: LogFilter }) {
  const place = usePlace();
  return (
    <span class="badge accent">
      {object === undefined ? 'below' : 'of'} {shownName(object ?? prefix ?? '')}
      <Button kind="plain" icon="close" label="All commits" onClick={() => place.vary({ object: undefined, prefix: undefined })} />
    </span>
  );
}
