/** How the content of one object differs between two refs. */

import { Button, Refusal, Size, With, call, counted, later, objectUrl, send, shownName, useAsync } from '@srv/lib-page/page';
import { decodeText } from '@srv/lib-records/tables/text-encoding';
import { useState } from 'preact/hooks';
import { looksLikeText } from '../../../src/model/sniff.js';
import { diffLines, foldSame, sideBySide } from '../../../src/model/text-diff.js';
import { visibleText } from '../../../src/model/visible-text.js';
import type { DiffLine } from '../../../src/model/text-diff.js';
import type { Change } from './change.js';

const TableDiffView = later(() => import('./table-diff.js').then(module => module.TableDiffView));

interface ContentDiffProps {
  readonly repository: string;
  readonly left: string;
  readonly right: string;
  readonly change: Change;
}

/** Bytes of a side that is compared as text. */
const most = 1024 * 1024;
const pictures = /\.(?:png|jpe?g|gif|bmp|webp|svg)$/i;

interface Side {
  readonly size: number;
  readonly text?: string;
}

/** Tables are compared as tables first, and as text or sizes on demand. */
export function ContentDiff(props: ContentDiffProps) {
  const { path, type } = props.change;
  const isTable = /\.(?:csv|tsv|parquet|jsonl|ndjson)$/i.test(path) && (type === 'changed' || type === 'conflict');
  const [asTable, setAsTable] = useState(isTable);
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
        <TableDiffView repository={props.repository} left={props.left} right={props.right} path={path} />
      ) : (
        <PlainDiff {...props} />
      )}
    </>
  );
}

function PlainDiff({ repository, left, right, change: { path, type } }: ContentDiffProps) {
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
          if (textual) return <TextDiff before={before?.text ?? ''} after={after?.text ?? ''} name={path} />;
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

const signs: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', added: '+', removed: '-' };

function TextDiff({ before, after, name }: { readonly before: string; readonly after: string; readonly name: string }) {
  const [whole, setWhole] = useState(false);
  const [split, setSplit] = useState(false);
  const lines = diffLines(before, after);
  const count = (kind: DiffLine['kind']): number => lines.filter(line => line.kind === kind).length;
  const hunks = whole ? [{ lines }] : foldSame(lines);
  return (
    <>
      <div class="card-head">
        {count('added') > 0 && <span class="badge added">{counted(count('added'), 'line')} added</span>}
        {count('removed') > 0 && <span class="badge removed">{counted(count('removed'), 'line')} removed</span>}
        <span class="grow" />
        <Button kind="plain" pressed={split} onClick={() => setSplit(!split)}>
          Side by side
        </Button>
        <Button kind="plain" onClick={() => setWhole(!whole)}>
          {whole ? 'Only what changed' : 'Whole text'}
        </Button>
      </div>
      <table aria-label={`Changes of ${shownName(name)}`}>
        <tbody>
          {hunks.map((hunk, i) =>
            'skipped' in hunk ? (
              <tr class="fold" key={i}>
                <td colSpan={4}>… {counted(hunk.skipped, 'unchanged line')}</td>
              </tr>
            ) : split ? (
              sideBySide(hunk.lines).map(({ left, right }, j) => (
                <tr key={`${i}.${j}`}>
                  <td class="line-number">{left?.left ?? ''}</td>
                  <td class={`half ${left?.kind ?? ''}`}>{left?.text ?? ''}</td>
                  <td class="line-number">{right?.right ?? ''}</td>
                  <td class={`half ${right?.kind ?? ''}`}>{right?.text ?? ''}</td>
                </tr>
              ))
            ) : (
              hunk.lines.map((line, j) => (
                <tr class={line.kind} key={`${i}.${j}`}>
                  <td class="line-number">{line.left ?? ''}</td>
                  <td class="line-number">{line.right ?? ''}</td>
                  <td>
                    <span class="muted">{signs[line.kind]} </span>
                    {line.text}
                  </td>
                </tr>
              ))
            ),
          )}
        </tbody>
      </table>
    </>
  );
}
