/** How the values of a column are distributed: bars of numbers and times, the most frequent of few values. */
import { grouped } from '@srv/lib-page/page';
import { visibleText } from '../../../src/model/visible-text.js';
import type { ColumnSummary } from '@srv/lib-records/tables/column-summary';

const [width, height] = [240, 40];
/** Different values that are listed rather than drawn as bars. */
const few = 12;

export function Distribution({ name, summary }: { readonly name: string; readonly summary: ColumnSummary }) {
  const { bars, top, distinct, rows } = summary;
  if (bars && distinct > few) {
    const most = Math.max(...bars.counts);
    const step = width / bars.counts.length;
    const shape = bars.counts
      .map((count, i) => `M${i * step} ${height}v${-(count / most) * height}h${step * 0.9}v${(count / most) * height}z`)
      .join('');
    return (
      <figure class="bars">
        <svg
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={`Distribution of ${name}: ${bars.counts.length} bars, up to ${grouped(most)} values each`}
        >
          <path d={shape} />
        </svg>
        <figcaption class="muted small">
          <span>{bars.labels[0]}</span> <span>{bars.labels[1]}</span>
        </figcaption>
      </figure>
    );
  }
  return (
    <ul class="top-values">
      {top.map(({ value, count }, i) => (
        <li key={i}>
          <span class="value" title={value ?? ''}>
            {value === '' ? <span class="muted">empty text</span> : visibleText(value ?? '')}
          </span>
          <span class="muted small">{grouped(count)}</span>
          <progress max={rows} value={count} aria-label={`Share of ${value ?? ''}`} />
        </li>
      ))}
    </ul>
  );
}
