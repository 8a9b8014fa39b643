/** The page that this part is in, whose Preact draws its views. */
import type { Page } from './page.js';

let own: Page | undefined;

export function setHost(page: Page): void {
  own = page;
}

export function host(): Page {
  if (!own) throw new Error('the page is not known yet');
  return own;
}
