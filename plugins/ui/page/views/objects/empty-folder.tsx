/** What stands in the place of a folder without rows. */
import { Button, Empty, shownName } from '@srv/lib-page/page';

interface EmptyFolderProps {
  readonly path: string;
  readonly filter: string;
  readonly onFilter: (text: string) => void;
  readonly off: string | undefined;
  readonly isBranch: boolean;
  readonly onUpload: () => void;
}

export function EmptyFolder({ path, filter, onFilter, off, isBranch, onUpload }: EmptyFolderProps) {
  if (filter !== '')
    return (
      <Empty icon="search" title="No name matches">
        <Button icon="search" onClick={() => onFilter(`*${filter}*`)}>
          Search all folders below
        </Button>
      </Empty>
    );
  if (path === '' && isBranch)
    return (
      <Empty icon="upload" title="Your repository is ready!">
        <p>There is nothing on this branch yet. Drop files here, upload them, or import what lies in the store already.</p>
        <Button kind="primary" icon="upload" off={off} onClick={onUpload}>
          Upload objects
        </Button>
      </Empty>
    );
  return (
    <Empty icon="folder" title="Nothing here">
      <p>{path === '' ? 'This commit has no objects.' : `No object begins with ${shownName(path)}.`}</p>
    </Empty>
  );
}
