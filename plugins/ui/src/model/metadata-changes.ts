/** What an edit of metadata sends to the server. */
import { ownValue } from '@srv/lib-page/model';

type Metadata = Readonly<Record<string, string>>;

interface MetadataChanges {
  /** Keys with another value, or that are new. */
  readonly changed: Metadata;
  readonly gone: readonly string[];
}

export function metadataChanges(before: Metadata, after: Metadata): MetadataChanges {
  return {
    changed: Object.fromEntries(Object.entries(after).filter(([key, value]) => ownValue(before, key) !== value)),
    gone: Object.keys(before).filter(key => !Object.hasOwn(after, key)),
  };
}
