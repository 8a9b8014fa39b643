/** Queries to begin with. */
import { Button } from '@srv/lib-page/page';
import type { Place } from './execution.js';

interface ExamplesProps {
  readonly place: Place;
  readonly onQuery: (query: string) => void;
}

const common: readonly (readonly [title: string, query: string])[] = [
  ['Rows of a file', "SELECT * FROM 'srv://repository/main/path.parquet' LIMIT 100"],
  [
    'Sums by group',
    "SELECT country, count(*) AS lakes, avg(depth) AS depth\nFROM 'srv://repository/main/lakes.csv'\nGROUP BY country\nORDER BY lakes DESC",
  ],
  [
    'Two versions of a file',
    "SELECT * FROM 'srv://repository/dev/path.parquet'\nEXCEPT\nSELECT * FROM 'srv://repository/main/path.parquet'",
  ],
];
const ofPlace: Readonly<Record<Place, readonly (readonly [title: string, query: string])[]>> = {
  browser: [['Write a file to a branch', "COPY (SELECT 1 AS one) TO 'srv://repository/dev/one.parquet'"]],
  server: [['Files by size', 'SELECT path, size FROM repository.main.system.object_metadata ORDER BY size DESC LIMIT 100']],
};

export function Examples({ place, onQuery }: ExamplesProps) {
  return (
    <div class="card-body">
      <p class="muted">Examples; put the names of your repository, ref and path in their places:</p>
      <div class="group">
        {[...common, ...ofPlace[place]].map(([title, query]) => (
          <Button key={title} icon="code" onClick={() => onQuery(query)}>
            {title}
          </Button>
        ))}
      </div>
    </div>
  );
}
