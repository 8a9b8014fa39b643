/** Differences of two texts, line by line. */
import { Button, LineNumber, OtherRemarks, counted, shownName } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { diffLines, foldSame, sideBySide } from '../../../src/model/text-diff.js';
import type { LineRemarks } from '@srv/lib-page/page';
import type { DiffLine } from '../../../src/model/text-diff.js';

const signs: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', added: '+', removed: '-' };

interface TextDiffProps {
  readonly before: string;
  readonly after: string;
  readonly name: string;
  readonly remarks: LineRemarks | undefined;
}

export function TextDiff({ before, after, name, remarks }: TextDiffProps) {
  const [whole, setWhole] = useState(false);
  const [split, setSplit] = useState(false);
  const lines = diffLines(before, after);
  const count = (kind: DiffLine['kind']): number => lines.filter(line => line.kind === kind).length;
  const hunks = whole ? [{ lines }] : foldSame(lines);
  const drawn = new Set(hunks.flatMap(hunk => ('skipped' in hunk ? [] : hunk.lines.map(({ right }) => right))));
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
              <SplitLines key={i} lines={hunk.lines} remarks={remarks} />
            ) : (
              hunk.lines.map((line, j) => <Line key={`${i}.${j}`} line={line} remarks={remarks} />)
            ),
          )}
        </tbody>
      </table>
      <OtherRemarks remarks={remarks} what="line" isDrawn={line => drawn.has(line)} />
    </>
  );
}

interface LineProps {
  readonly line: DiffLine;
  readonly remarks: LineRemarks | undefined;
}

function Line({ line: { kind, text, left, right }, remarks }: LineProps) {
  return (
    <>
      <tr class={kind}>
        <td class="line-number">{left ?? ''}</td>
        <td class="line-number">{right !== undefined && <LineNumber line={right} what="line" remarks={remarks} />}</td>
        <td>
          <span class="muted">{signs[kind]} </span>
          {text}
        </td>
      </tr>
      <LineRemarksRow line={right} remarks={remarks} />
    </>
  );
}

interface SplitLinesProps {
  readonly lines: readonly DiffLine[];
  readonly remarks: LineRemarks | undefined;
}

function SplitLines({ lines, remarks }: SplitLinesProps) {
  return (
    <>
      {sideBySide(lines).map(({ left, right }, j) => (
        <>
          <tr key={j}>
            <td class="line-number">{left?.left ?? ''}</td>
            <td class={`half ${left?.kind ?? ''}`}>{left?.text ?? ''}</td>
            <td class="line-number">{right?.right !== undefined && <LineNumber line={right.right} what="line" remarks={remarks} />}</td>
            <td class={`half ${right?.kind ?? ''}`}>{right?.text ?? ''}</td>
          </tr>
          <LineRemarksRow line={right?.right} remarks={remarks} />
        </>
      ))}
    </>
  );
}

function LineRemarksRow({ line, remarks }: { readonly line: number | undefined; readonly remarks: LineRemarks | undefined }) {
  if (line === undefined || !remarks?.lines.includes(line)) return null;
  return (
    <tr>
      <td colSpan={4}>
        <div class="remarks">{remarks.draw(line)}</div>
      </td>
    </tr>
  );
}
