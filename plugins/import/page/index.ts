/** Imports on the web page. */
import type { PageDescription } from '@srv/lib-page';

export default {
  actions: [
    {
      id: 'import',
      title: 'Import',
      icon: 'download',
      place: 'objects',
      dialog: './dialog.tsx',
      needs: { storage: 'import_support', otherwise: 'the store of this server cannot import' },
    },
  ],
} satisfies PageDescription;
