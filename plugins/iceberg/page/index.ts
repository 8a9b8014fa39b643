/** Tables on the web page: a tab of every repository. */
import type { PageDescription } from '@srv/lib-page';

export default {
  tabs: [{ id: 'iceberg', title: 'Tables', icon: 'database', order: 15, view: './tables.tsx' }],
} satisfies PageDescription;
