/** How the content of one object differs between two refs. */

import {
  Button,
  OtherRemarks,
  Refusal,
  Size,
  With,
  call,
  isTablePath,
  later,
  objectUrl,
  send,
  shownName,
  useAsync,
} from '@srv/lib-page/page';
import { decodeText } from '@srv/lib-records/tables/text-encoding';
import { useState } from 'preact/hooks';
import { looksLikeText } from '../../../src/model/sniff.js';
import { visibleText } from '../../../src/model/visible-text.js';
import { TextDiff } from './text-diff.js';
import type { LineRemarks } from '@srv/lib-page/page';
import type { Change } from './change.js';

const TableDiffView = later(() => import('./table-diff.js').then(module => module.TableDiffView));

interface ContentDiffProps {
  readonly repository: string;
  readonly left: string;
  readonly right: string;
  readonly change: Change;
  readonly remarks?: LineRemarks | undefined;
}

/** Bytes of a side that is compared as text. */
const most = 1024 * 1024;
const pictures = /\.(?:png|jpe?g|gif|bmp|webp|svg)$/i;

interface Side {
  readonly size: number;
  readonly text?: string;
}

/** Tables are compared as tables first, and as text or sizes on demand; what is said about a table is about its rows. */
export function ContentDiff(props: ContentDiffProps) {
  const { path, type } = props.change;
  const isTable = isTablePath(path) && (type === 'changed' || type === 'conflict');
  const [asTable, setAsTable] = useState(isTable);
  if (isTablePath(path) && !isTable)
    return (
      <>
        <PlainDiff {...props} remarks={undefined} />
        <OtherRemarks remarks={props.remarks} what="row" isDrawn={() => false} />
      </>
    );
  if (!isTable) return <PlainDiff {...props} />;
  return (
    <>
      <div class="group diff-choice" role="group" aria-label={`How to compare ${shownName(path)}`}>
        <Button kind="plain" pressed={asTable} onClick={() => setAsTable(true)}>
          As a table
        </Button>
        <Button kind="plain" pressed={!asTable} onClick={() => setAsTable(false)}>
          As text
        </Button>
      </div>
      {asTable ? (
        <TableDiffView repository={props.repository} left={props.left} right={props.right} path={path} remarks={props.remarks} />
      ) : (
        <PlainDiff {...props} remarks={undefined} />
      )}
      <OtherRemarks remarks={props.remarks} what="row" isDrawn={() => false} />
    </>
  );
}

function PlainDiff({ repository, left, right, change: { path, type }, remarks }: ContentDiffProps) {
  const sides = useAsync(
    async signal => {
      const read = async (ref: string, exists: boolean): Promise<Side | undefined> => {
        if (!exists) return undefined;
        try {
          const { size_bytes: size = 0 } = await call('statObject', { repository, ref, path, user_metadata: false }, { signal });
          if (size > most || pictures.test(path)) return { size };
          const bytes = new Uint8Array(await (await send('getObject', { repository, ref, path }, { signal })).arrayBuffer());
          return looksLikeText(bytes) ? { size, text: visibleText(decodeText(bytes).text) } : { size };
        } catch (error) {
          if (error instanceof Refusal && error.status === 404) return undefined;
          throw error;
        }
      };
      return Promise.all([read(left, type !== 'added'), read(right, type !== 'removed')]);
    },
    [repository, left, right, path, type],
  );
  return (
    <div class="diff-lines">
      <With answer={sides} rows={2}>
        {([before, after]) => {
          const textual = (!before || before.text !== undefined) && (!after || after.text !== undefined) && (before ?? after);
          if (textual) return <TextDiff before={before?.text ?? ''} after={after?.text ?? ''} name={path} remarks={remarks} />;
          return (
            <div class="card-body form">
              <p>
                {before && after ? (
                  before.size === after.size ? (
                    <>
                      Identical size, <Size bytes={after.size} />
                    </>
                  ) : (
                    <>
                      <Size bytes={before.size} /> → <Size bytes={after.size} />
                    </>
                  )
                ) : (
                  <Size bytes={(before ?? after)?.size ?? 0} />
                )}
                <span class="muted">
                  {' '}
                  {pictures.test(path)
                    ? ''
                    : (before?.size ?? 0) > most || (after?.size ?? 0) > most
                      ? '· too big to compare as text'
                      : '· not text'}
                </span>
              </p>
              {pictures.test(path) && (
                <div class="group">
                  {before && <img class="thumb" src={objectUrl(repository, left, path)} alt={`${shownName(path)} before`} />}
                  {after && <img class="thumb" src={objectUrl(repository, right, path)} alt={`${shownName(path)} after`} />}
                </div>
              )}
            </div>
          );
        }}
      </With>
    </div>
  );
}
