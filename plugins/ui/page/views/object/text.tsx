/** Text with its line numbers. What turns out not to be text is shown as bytes. */
import { Alert, Copy, With, sizeText, useAsync, usePlace } from '@srv/lib-page/page';
import { decodeText, encodingNote } from '@srv/lib-records/tables/text-encoding';
import { useState } from 'preact/hooks';
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
      <LinedCode text={found.text} path={path} />
    </>
  );
}

/** The address names a line. */
function LinedCode({ text, path }: { readonly text: string; readonly path: string }) {
  const place = usePlace();
  const [wanted, setWanted] = useState('');
  const line = Number(place.query['line'] ?? 0);
  const go = (to: number): void => place.vary({ line: Number.isSafeInteger(to) && to > 0 ? String(to) : undefined }, { replace: true });
  return (
    <>
      <form
        class="card-head"
        onSubmit={event => {
          event.preventDefault();
          go(Number(wanted));
        }}
      >
        <input
          class="input short-input"
          inputMode="numeric"
          aria-label="Go to line"
          placeholder="Go to line"
          value={wanted}
          onInput={event => setWanted(event.currentTarget.value)}
        />
        {line > 0 && <Copy text={location.href} what={`link to line ${line}`} />}
      </form>
      <Code text={text} language={extensionOf(path)} label={path} line={line} onLine={go} />
    </>
  );
}
