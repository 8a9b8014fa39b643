/** Which block store takes a new repository, where the server has several. */
import { Choice, storage, stores } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';

interface StoreChoice {
  readonly store: ReturnType<typeof storage>;
  /** Of the body of the request. */
  readonly chosen: { readonly storage_id?: string };
  /** What chooses it. */
  readonly choice: ComponentChildren;
}

export function useStoreChoice(): StoreChoice {
  const several = stores();
  const usual = storage();
  const [id, setId] = useState(usual?.blockstore_id || (several[0]?.blockstore_id ?? ''));
  return {
    store: several.find(({ blockstore_id: own }) => own === id) ?? usual,
    chosen: id === '' ? {} : { storage_id: id },
    choice: several.length > 1 && (
      <Choice
        label="Block Store"
        value={id}
        options={several.map(({ blockstore_id: own = '', blockstore_description: text }) => [own, text ? `${own}: ${text}` : own])}
        onChange={setId}
      />
    ),
  };
}
