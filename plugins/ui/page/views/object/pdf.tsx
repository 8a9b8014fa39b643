/** PDF, drawn by the browser's own viewer. */
import { Empty, With, shownName, sizeText, useAsync } from '@srv/lib-page/page';
import { readHead } from '../../core/content.js';
import { useBlobUrl } from '../../parts/blob-url.js';
import type { ShownObject } from '@srv/lib-page/page';

/** Bytes that are held for the viewer. */
const most = 64 << 20;

export function PdfView({ object }: { readonly object: ShownObject }) {
  const problem = !navigator.pdfViewerEnabled
    ? 'This browser shows no PDF'
    : object.size > most
      ? `This PDF is larger than ${sizeText(most)}`
      : undefined;
  if (problem === undefined) return <Loaded object={object} />;
  return (
    <Empty icon="file" title={problem}>
      <p>Download it instead.</p>
    </Empty>
  );
}

/** Always as bytes of this type, whatever type the object is stored with: other content is not a document. */
function Loaded({ object }: { readonly object: ShownObject }) {
  const answer = useAsync(signal => readHead(object, most, signal), [object.url]);
  return <With answer={answer}>{({ bytes }) => <Frame bytes={bytes} name={shownName(object.path)} />}</With>;
}

function Frame({ bytes, name }: { readonly bytes: Uint8Array; readonly name: string }) {
  const url = useBlobUrl(bytes as BlobPart, 'application/pdf');
  return url === undefined ? null : <iframe class="frame" title={name} src={url} />;
}
