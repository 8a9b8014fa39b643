/** The Hub API on the web page: how Python programs read what is shown. */
import type { PageDescription } from '@srv/lib-page';

export default {
  panels: [{ id: 'python', title: 'Use from Python', place: 'objects', order: 90, view: './python.tsx' }],
} satisfies PageDescription;
