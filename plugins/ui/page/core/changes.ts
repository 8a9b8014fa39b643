/** Changes that a view cannot know of, as the shell beside it makes them. */
import { signal } from '@preact/signals';

/** Counts them: a view of an older count is drawn again. */
export const changes = signal(0);
