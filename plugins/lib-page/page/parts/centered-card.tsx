/** A page without the bar, for users who are not logged in: a card below the name of the program. */
import { Brand } from './icon.js';
import type { ComponentChildren } from 'preact';

export function CenteredCard({ children }: { readonly children: ComponentChildren }) {
  return (
    <main class="lone" id="content">
      <div class="brand">
        <Brand />
        <span>srv</span>
      </div>
      <div class="card">{children}</div>
    </main>
  );
}
