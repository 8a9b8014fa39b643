/** Search on the web page: a section of the settings, and paths for the palette. */
import type { PageDescription } from '@srv/lib-page';

export default {
  finders: ['./find.ts'],
  panels: [{ id: 'search', title: 'Search', place: 'settings', order: 30, view: './settings.tsx' }],
} satisfies PageDescription;
