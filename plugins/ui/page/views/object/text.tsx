/** Text with its line numbers. What turns out not to be text is shown as bytes. */
import { Alert, With, sizeText, useAsync } from '@srv/lib-page/page';
import { decodeText, encodingNote } from '@srv/lib-records/tables/text-encoding';
import { extensionOf } from '../../../src/model/object-kind.js';
import { looksLikeText } from '../../../src/model/sniff.js';
import { readHead } from '../../core/content.js';
import { Code } from './code.js';
import { HexDump } from './hex.js';
import type { ShownObject } from '@srv/lib-page/page';

/** Bytes that are shown. */
const most = 1024 * 1024;

export function TextView({ object }: { readonly object: ShownObject }) {
  const head = useAsync(signal => readHead(object, most, signal), [object.url]);
  return (
    <With answer={head}>
      {found => (
        <>
          {found.cut && <Alert kind="note">This is the first {sizeText(most)}. Download the object to see all of it.</Alert>}
          {looksLikeText(found.bytes, !found.cut) ? (
            <Decoded bytes={found.bytes} cut={found.cut} path={object.path} />
          ) : (
            <HexDump bytes={found.bytes.subarray(0, 4096)} />
          )}
        </>
      )}
    </With>
  );
}

function Decoded({ bytes, cut, path }: { readonly bytes: Uint8Array; readonly cut: boolean; readonly path: string }) {
  const found = decodeText(bytes, cut);
  const note = encodingNote(found);
  return (
    <>
      {note !== undefined && <Alert kind="note">{note}</Alert>}
      <Code text={found.text} language={extensionOf(path)} label={path} />
    </>
  );
}
