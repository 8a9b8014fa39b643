/** All of a value that is too long for a cell; bytes of a picture as the picture. */
import { Alert, Dialog, With, sizeText, useAsync } from '@srv/lib-page/page';
import { useMemo } from 'preact/hooks';
import { imageIn, imageTypeOf } from '../../../src/model/image-bytes.js';
import { visibleText } from '../../../src/model/visible-text.js';
import { useBlobUrl } from '../../parts/blob-url.js';
import type { TableClient } from '../../tables/table-client.js';

/** Characters that are shown. */
const most = 1024 * 1024;

interface CellDialogProps {
  readonly client: TableClient;
  readonly row: number;
  readonly column: number;
  readonly title: string;
  readonly onClose: () => void;
}

export function CellDialog({ client, row, column, title, onClose }: CellDialogProps) {
  const text = useAsync(() => client.ask('cell', { table: 0, row, column }), [row, column]);
  return (
    <Dialog title={title} wide onClose={onClose}>
      <With answer={text}>
        {value => (imageTypeOf(value ?? '') === undefined ? <Text value={value ?? ''} /> : <Picture value={value ?? ''} title={title} />)}
      </With>
    </Dialog>
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

function Picture({ value, title }: { readonly value: string; readonly title: string }) {
  const image = useMemo(() => imageIn(value), [value]);
  const url = useBlobUrl(image?.bytes ?? nothing, image?.type ?? 'image/png');
  if (!image) return <Alert kind="note">This picture is too large to be shown here.</Alert>;
  return <div class="picture">{url !== undefined && <img src={url} alt={title} />}</div>;
}
