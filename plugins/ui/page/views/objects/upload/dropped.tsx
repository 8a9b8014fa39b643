/** What is dropped on the dialog: read before it is listed, which takes a while for large folders. */
import { Alert, counted, shownName } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { filesOf } from './dropped-files.js';
import type { NamedFile, UnreadEntry } from './dropped-files.js';

interface Dropped {
  readonly isReading: boolean;
  /** Of the last drop. */
  readonly unread: readonly UnreadEntry[];
  /** To be called while the event of the drop is handled. */
  read(data: DataTransfer): void;
}

export function useDropped(onFiles: (files: readonly NamedFile[]) => void): Dropped {
  const [reading, setReading] = useState(0);
  const [unread, setUnread] = useState<readonly UnreadEntry[]>([]);
  const read = async (data: DataTransfer): Promise<void> => {
    setReading(before => before + 1);
    const found = await filesOf(data);
    onFiles(found.files);
    setUnread(found.unread);
    setReading(before => before - 1);
  };
  return { isReading: reading > 0, unread, read: data => void read(data) };
}

const mostNamed = 10;

export function Unread({ entries }: { readonly entries: readonly UnreadEntry[] }) {
  if (entries.length === 0) return null;
  return (
    <Alert>
      The browser cannot read these. Check that they exist and that you may open them, then drop them again.
      <ul>
        {entries.slice(0, mostNamed).map(({ name, problem }) => (
          <li key={name}>
            {shownName(name)}: {problem}
          </li>
        ))}
      </ul>
      {entries.length > mostNamed && `and ${counted(entries.length - mostNamed, 'other')}`}
    </Alert>
  );
}
