/** Source text: numbers, and colours for what all languages have. */

import { shownName } from '@srv/lib-page/page';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { visibleText } from '../../../src/model/visible-text.js';
import { highlighted } from './highlighted.js';
import type { TargetedMouseEvent } from 'preact';

interface CodeProps {
  readonly text: string;
  readonly language: string;
  readonly label: string;
  /** Lines have addresses: this one is marked and shown, and a click on a number asks for another. From 1; 0: none. */
  readonly line?: number;
  readonly onLine?: (line: number) => void;
}

/** Longer texts are shown without colours. */
const coloured = 200_000;

/** Pixels above the line that is shown. */
const above = 120;

export function Code({ text: stored, language, label, line = 0, onLine }: CodeProps) {
  const box = useRef<HTMLDivElement>(null);
  const text = useMemo(() => visibleText(stored), [stored]);
  const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const numbers = useMemo(() => Array.from({ length: count }, (_, i) => i + 1).join('\n'), [count]);
  const pieces = useMemo(() => (text.length > coloured ? text : highlighted(text, language)), [text, language]);
  const isMarked = line > 0 && line <= count;
  useEffect(() => {
    const numbers = box.current?.querySelector('.numbers span');
    if (!box.current || !numbers || !isMarked) return;
    const height = numbers.getBoundingClientRect().height / count;
    box.current.style.setProperty('--line-top', `${(line - 1) * height}px`);
    box.current.scrollTop = (line - 1) * height - above;
  }, [line, count, isMarked]);
  const choose = (event: TargetedMouseEvent<HTMLElement>): void => {
    const { top, height } = (event.currentTarget.firstElementChild ?? event.currentTarget).getBoundingClientRect();
    onLine?.(Math.min(count, Math.max(1, Math.ceil(((event.clientY - top) / height) * count))));
  };
  return (
    <div class={`source scroll ${isMarked ? 'marked' : ''}`} ref={box} role="region" aria-label={shownName(label)} tabIndex={0}>
      <pre class={`numbers ${onLine ? 'pick-line' : ''}`} aria-hidden="true" {...(onLine ? { onClick: choose } : {})}>
        <span>{numbers}</span>
      </pre>
      <pre>{pieces}</pre>
    </div>
  );
}
