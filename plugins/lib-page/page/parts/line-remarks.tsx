/** What is said about lines or rows of one object. */
import type { LineRemarks } from '../core/registry.js';
import type { Remarks } from './lent.js';

export const remarksOf = ({ lines, draw, onLine }: Remarks, path: string): LineRemarks => ({
  lines: lines(path),
  draw: line => draw(path, line),
  onLine: onLine && (line => onLine(path, line)),
});

interface LineNumberProps {
  readonly line: number;
  readonly what: 'line' | 'row';
  readonly remarks: LineRemarks | undefined;
}

/** A number that begins a remark about its line. */
export function LineNumber({ line, what, remarks }: LineNumberProps) {
  const begin = remarks?.onLine;
  if (!begin) return <>{line}</>;
  return (
    <button type="button" class="line-button" aria-label={`Comment on ${what} ${line}`} onClick={() => begin(line)}>
      {line}
    </button>
  );
}

interface OtherRemarksProps {
  readonly remarks: LineRemarks | undefined;
  readonly what: 'line' | 'row';
  /** Whether what is said about a line is drawn beside it. */
  readonly isDrawn: (line: number) => boolean;
}

/** What is said about lines that are not in sight. */
export function OtherRemarks({ remarks, what, isDrawn }: OtherRemarksProps) {
  const others = remarks?.lines.filter(line => !isDrawn(line)) ?? [];
  if (others.length === 0) return null;
  return (
    <div class="remarks">
      {others.map(line => (
        <section key={line} aria-label={`About ${what} ${line}`}>
          <p class="small muted">
            {what === 'line' ? 'Line' : 'Row'} {line}
          </p>
          {remarks?.draw(line)}
        </section>
      ))}
    </div>
  );
}
