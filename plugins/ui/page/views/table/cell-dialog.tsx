/** All of a value that is too long for a cell; a picture as the picture, sound to play. */
import { Alert, Dialog, Icon, With, objectOf, objectUrl, shownName, sizeText, useAsync } from '@srv/lib-page/page';
import { useMemo } from 'preact/hooks';
import { mediaIn, mediaTypeOf } from '../../../src/model/media-bytes.js';
import { visibleText } from '../../../src/model/visible-text.js';
import { useBlobUrl } from '../../parts/blob-url.js';
import { Media } from '../../parts/media.js';
import type { CellMedia } from '../../../src/model/cell-media.js';
import type { TableClient } from '../../tables/table-client.js';

/** Characters that are shown. */
const most = 1024 * 1024;

interface CellDialogProps {
  readonly client: TableClient;
  readonly row: number;
  readonly column: number;
  readonly title: string;
  /** What the cell shows, if it is not a text. */
  readonly media: CellMedia | undefined;
  readonly onClose: () => void;
}

export function CellDialog({ client, row, column, title, media, onClose }: CellDialogProps) {
  return (
    <Dialog title={title} wide onClose={onClose}>
      {media?.object ? (
        <Named media={media} object={media.object} title={title} />
      ) : (
        <Own client={client} row={row} column={column} title={title} />
      )}
    </Dialog>
  );
}

function Own({ client, row, column, title }: Pick<CellDialogProps, 'client' | 'row' | 'column' | 'title'>) {
  const text = useAsync(() => client.ask('cell', { table: 0, row, column }), [row, column]);
  return (
    <With answer={text}>
      {value => (mediaTypeOf(value ?? '') === undefined ? <Text value={value ?? ''} /> : <Bytes value={value ?? ''} title={title} />)}
    </With>
  );
}

function Text({ value }: { readonly value: string }) {
  return (
    <>
      {value.length > most && <Alert kind="note">This is the first {sizeText(most)}. Download the object to see all of it.</Alert>}
      <pre class="code-block scroll" tabIndex={0} role="region" aria-label="Value">
        {visibleText(value.slice(0, most))}
      </pre>
    </>
  );
}

const nothing = new Uint8Array();

function Bytes({ value, title }: { readonly value: string; readonly title: string }) {
  const found = useMemo(() => mediaIn(value), [value]);
  const url = useBlobUrl(found?.bytes ?? nothing, found?.type ?? 'image/png');
  if (!found) return <Alert kind="note">This file is too large to be shown here.</Alert>;
  return url === undefined ? null : <FramedMedia kind={found.kind} url={url} title={title} />;
}

interface NamedProps {
  readonly media: CellMedia;
  readonly object: NonNullable<CellMedia['object']>;
  readonly title: string;
}

function Named({ media, object: { repository, ref, path }, title }: NamedProps) {
  return (
    <>
      <FramedMedia kind={media.kind} url={objectUrl(repository, ref, path)} title={title} />
      <p>
        <a href={objectOf(repository, ref, path)}>
          <Icon name="file" /> {shownName(path)}
        </a>
      </p>
    </>
  );
}

function FramedMedia(props: { readonly kind: CellMedia['kind']; readonly url: string; readonly title: string }) {
  if (props.kind === 'sound') return <Media {...props} />;
  return (
    <div class="picture">
      <Media {...props} />
    </div>
  );
}
