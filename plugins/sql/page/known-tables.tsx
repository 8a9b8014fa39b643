/** Tables of the query with their columns: a click writes the name of one. */
import { shownName } from '@srv/lib-page/page';
import { quotedName } from '@srv/lib-records/tables/sql/completion';
import type { KnownTable } from './known-columns.js';

/** Columns of a table that are listed. */
const most = 200;

export function KnownTables({ tables, onInsert }: { readonly tables: readonly KnownTable[]; readonly onInsert: (text: string) => void }) {
  if (tables.length === 0) return null;
  return (
    <section class="sql-tables" aria-label="Columns">
      {tables.map(({ address, columns }) => (
        <div key={address}>
          <h2 class="small" title={address}>
            {shownName(address.slice(address.lastIndexOf('/') + 1))}
          </h2>
          <ul>
            {columns.slice(0, most).map(({ name, type }, i) => (
              <li key={i}>
                <button type="button" class="sql-column" title={`Insert ${name}`} onClick={() => onInsert(quotedName(name))}>
                  <span>{shownName(name)}</span> {type !== undefined && <span class="muted small">{type}</span>}
                </button>
              </li>
            ))}
          </ul>
          {columns.length > most && <p class="muted small">and {columns.length - most} more</p>}
        </div>
      ))}
    </section>
  );
}
