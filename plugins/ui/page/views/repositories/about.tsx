/** What a repository is for and whose it is, as its metadata say; asked for as its row comes into sight. */
import { call, shownName, useAsync } from '@srv/lib-page/page';
import { fewAtATime } from '../../../src/model/few-at-a-time.js';

interface AboutProps {
  readonly repository: string;
  /** Shown if the metadata have no description. */
  readonly otherwise: string;
}

export function About({ repository, otherwise }: AboutProps) {
  // Users who may not read them see what was there before.
  const metadata = useAsync(
    signal => fewAtATime(() => call('getRepositoryMetadata', { repository }, { signal }), signal).catch(() => ({})),
    [repository],
  );
  const { description, owner } = saying(metadata.state === 'ready' ? metadata.value : {});
  const text = [description, owner && `owner: ${owner}`].filter(Boolean).map(shownName).join(' · ') || otherwise;
  return (
    <div class="small muted one-line" title={text === otherwise ? text : `${text}\n${otherwise}`}>
      {text}
    </div>
  );
}

/** Keys however people spell them. */
function saying(metadata: Readonly<Record<string, string>>): { readonly description: string; readonly owner: string } {
  const of = (name: string): string =>
    Object.entries(metadata)
      .find(([key]) => key.toLowerCase() === name)?.[1]
      .trim() ?? '';
  return { description: of('description'), owner: of('owner') };
}
