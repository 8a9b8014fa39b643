/** Large tables are compared by the server. */
import type { PageDescription } from '@srv/lib-page';

export default {
  comparisons: [
    {
      id: 'server',
      title: 'Compared by the server',
      extensions: ['parquet', 'csv', 'tsv', 'jsonl', 'ndjson'],
      view: './server-diff.tsx',
    },
  ],
} satisfies PageDescription;
