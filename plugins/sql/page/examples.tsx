/** Queries to begin with. */
import { Button, useAsync } from '@srv/lib-page/page';
import { examplesHere } from './examples-here.js';
import type { Example } from './examples-here.js';
import type { Place } from './execution.js';

interface ExamplesProps {
  readonly place: Place;
  readonly onQuery: (query: string) => void;
}

/** Where nothing is found that they could be about. */
const made: readonly Example[] = [
  ['Rows of a file', "SELECT * FROM 'srv://repository/main/path.parquet' LIMIT 100"],
  [
    'Sums by group',
    "SELECT country, count(*) AS lakes, avg(depth) AS depth\nFROM 'srv://repository/main/lakes.csv'\nGROUP BY country\nORDER BY lakes DESC",
  ],
];

export function Examples({ place, onQuery }: ExamplesProps) {
  const here = useAsync(signal => examplesHere(place, signal), [place]);
  if (here.state === 'loading') return null;
  const found = here.state === 'ready' ? here.value : [];
  return (
    <div class="card-body">
      <p class="muted">{found.length > 0 ? 'Examples:' : 'Examples; put the names of your repository, ref and path in their places:'}</p>
      <div class="group">
        {(found.length > 0 ? found : made).map(([title, query]) => (
          <Button key={title} icon="code" onClick={() => onQuery(query)}>
            {title}
          </Button>
        ))}
      </div>
    </div>
  );
}
