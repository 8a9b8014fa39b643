/** Branch protection on the web page: a section of the settings, and controls that are off on protected branches. */
import type { PageDescription } from '@srv/lib-page';

export default {
  panels: [{ id: 'branches', title: 'Branch protection', place: 'settings', order: 10, view: './settings.tsx' }],
  guards: ['./guard.ts'],
} satisfies PageDescription;
