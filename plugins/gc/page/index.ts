/** Garbage collection on the web page: a section of the settings. */
import type { PageDescription } from '@srv/lib-page';

export default {
  panels: [{ id: 'retention', title: 'Garbage collection', place: 'settings', order: 20, view: './settings.tsx' }],
} satisfies PageDescription;
