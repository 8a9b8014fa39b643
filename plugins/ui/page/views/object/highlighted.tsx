/** Source text in the colours of its language. */
import { highlight } from '../../../src/model/highlight.js';
import type { ComponentChildren } from 'preact';

export function highlighted(text: string, language: string): ComponentChildren {
  return highlight(text, language).map(({ text: piece, kind }, i) =>
    kind === undefined ? (
      piece
    ) : (
      <span key={i} class={`s-${kind}`}>
        {piece}
      </span>
    ),
  );
}
