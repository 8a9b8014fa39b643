/** Source text: numbers, and colours for what all languages have. */

import { shownName } from '@srv/lib-page/page';
import { useMemo } from 'preact/hooks';
import { visibleText } from '../../../src/model/visible-text.js';
import { highlighted } from './highlighted.js';

interface CodeProps {
  readonly text: string;
  readonly language: string;
  readonly label: string;
}

/** Longer texts are shown without colours. */
const coloured = 200_000;

export function Code({ text: stored, language, label }: CodeProps) {
  const text = useMemo(() => visibleText(stored), [stored]);
  const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const numbers = useMemo(() => Array.from({ length: count }, (_, i) => i + 1).join('\n'), [count]);
  const pieces = useMemo(() => (text.length > coloured ? text : highlighted(text, language)), [text, language]);
  return (
    <div class="source scroll" role="region" aria-label={shownName(label)} tabIndex={0}>
      <pre class="numbers" aria-hidden="true">
        {numbers}
      </pre>
      <pre>{pieces}</pre>
    </div>
  );
}
