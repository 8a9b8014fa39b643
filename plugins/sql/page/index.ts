/** SQL on the web page: above the rows of tables, and at an address of its own. */
import { contentTypes } from '@srv/lib-records/tables/sql/formats';
import type { PageDescription } from '@srv/lib-page';

export default {
  viewers: [
    {
      id: 'sql',
      title: 'SQL',
      // Before the page's own table, which it shows as well.
      fits: { extensions: Object.keys(contentTypes), contentTypes: Object.values(contentTypes), rank: 11 },
      view: './view.tsx',
    },
  ],
  pages: [{ id: 'sql', title: 'SQL', view: './view.tsx' }],
} satisfies PageDescription;
