/** Changes that a view cannot know of, as the shell beside it makes them. */
import { signal } from '@preact/signals';

/** Counts them: a view of an older count is drawn again. */
export const changes = signal(0);

/** Unless a dialog is open, whose text would be lost. */
export function noteChange(): void {
  if (document.querySelector('dialog[open]') === null) changes.value++;
}
