/** Search on the web page: a section of the settings. */
import type { PageDescription } from '@srv/lib-page';

export default {
  panels: [{ id: 'search', title: 'Search', place: 'settings', order: 30, view: './settings.tsx' }],
} satisfies PageDescription;
