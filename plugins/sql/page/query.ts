/** The query as it is typed, and as addresses have it. */

import { addressText } from '@srv/lib-records/tables/sql/address';
import { useEffect, useState } from 'preact/hooks';
import type { ShownObject } from '@srv/lib-page';

/** A query in the address is shown, and runs only when the user executes it. */
function queryInAddress(): string {
  return new URLSearchParams(location.hash.slice(1)).get('q') ?? '';
}

export function linkTo(query: string): string {
  return new URL(`sql#${new URLSearchParams({ q: query }).toString()}`, document.baseURI).href;
}

function firstQuery(object: ShownObject | undefined): string {
  if (!object) return queryInAddress();
  return `SELECT * FROM '${addressText(object).replaceAll("'", "''")}' LIMIT 20`;
}

/** @param object what the query begins with; absent: the one in the address. */
export function useQuery(object: ShownObject | undefined): [query: string, setQuery: (query: string) => void] {
  const [query, setQuery] = useState(() => firstQuery(object));
  useEffect(() => {
    if (object) return undefined;
    const follow = (): void => setQuery(queryInAddress());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [object]);
  return [query, setQuery];
}
