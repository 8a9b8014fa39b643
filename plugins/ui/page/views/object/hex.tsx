/** Bytes, in rows of sixteen. */

import { Button, With, grouped, send, sizeText, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import type { ShownObject } from '@srv/lib-page/page';

const pageSize = 4096;

export function HexView({ object }: { readonly object: ShownObject }) {
  const { repository, ref, path, size } = object;
  const [offset, setOffset] = useState(0);
  const bytes = useAsync(
    async signal =>
      new Uint8Array(
        await (
          await send('getObject', { repository, ref, path, Range: `bytes=${offset}-${Math.min(size, offset + pageSize) - 1}` }, { signal })
        ).arrayBuffer(),
      ),
    [object.url, offset],
  );
  return (
    <>
      {size > pageSize && (
        <div class="card-head">
          <Button off={offset === 0 && 'this is the beginning'} onClick={() => setOffset(Math.max(0, offset - pageSize))}>
            Previous
          </Button>
          <Button off={offset + pageSize >= size && 'this is the end'} onClick={() => setOffset(offset + pageSize)}>
            Next
          </Button>
          <span class="muted small">
            {grouped(offset)} to {grouped(Math.min(size, offset + pageSize))} of {sizeText(size)}
          </span>
        </div>
      )}
      <With answer={bytes}>{found => <HexDump bytes={found} offset={offset} />}</With>
    </>
  );
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

export function HexDump({ bytes, offset = 0 }: { readonly bytes: Uint8Array; readonly offset?: number }) {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const shown = row.map(byte => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '·')).join('');
    lines.push(
      `${hex(offset + at, 8)}  ${row
        .map(byte => hex(byte, 2))
        .join(' ')
        .padEnd(47)}  ${shown}`,
    );
  }
  return (
    <pre class="code-block scroll" tabIndex={0} role="region" aria-label="Bytes">
      {lines.join('\n')}
    </pre>
  );
}
