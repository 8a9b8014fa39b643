/** The tables of a ref, one of them, or what differs from those of another ref. */
import { Button, Empty, Icon, RefPicker, ask, shownName, to, usePlace } from '@srv/lib-page/page';
import { fullName } from './shapes.js';
import { TableChanges } from './table-changes.js';
import { TablePage } from './table-page.js';
import { TableRows } from './table-rows.js';
import './style.css';
import type { Page, RepositoryPlace } from '@srv/lib-page/page';
import type { TableName } from './shapes.js';

export default function Tables(at: RepositoryPlace) {
  const { repository, ref, rest } = at;
  const place = usePlace();
  const [name] = rest;
  const { compare } = place.query;
  return (
    <>
      <div class="toolbar">
        <RefPicker repository={repository} value={ref} label="ref: " onPick={picked => place.vary({ ref: picked })} />
        {name === undefined && (
          <RefPicker
            repository={repository}
            value={compare ?? 'nothing'}
            label="compared with: "
            onPick={picked => place.vary({ compare: picked })}
          />
        )}
        {name === undefined && compare !== undefined && (
          <Button kind="plain" icon="close" label="Show all tables" onClick={() => place.vary({ compare: undefined })} />
        )}
        {name !== undefined && (
          <a class="button" href={to('repositories', repository, 'iceberg', { ref })}>
            <Icon name="database" /> All Tables
          </a>
        )}
      </div>
      {name !== undefined ? (
        <TablePage repository={repository} ref_={ref} name={name} />
      ) : compare !== undefined ? (
        <TableChanges repository={repository} left={ref} right={compare} />
      ) : (
        <TableList repository={repository} ref_={ref} />
      )}
    </>
  );
}

const rowHeight = 38;

function TableList({ repository, ref_: ref }: { readonly repository: string; readonly ref_: string }) {
  return (
    <TableRows
      label="Tables"
      load={async (after, signal) => (await ask('listTables', { repository, ref, after, amount: 1000 }, { signal })) as Page<TableName>}
      of={[repository, ref]}
      height={rowHeight}
      empty={
        <Empty icon="database" title="No tables">
          <p>
            Engines that speak the Iceberg REST protocol create tables on a branch, at <code>/iceberg/api</code>. A first namespace:
          </p>
          <p>
            <code>{`cli iceberg create-namespace srv://${repository}/${ref}/sales`}</code>
          </p>
        </Empty>
      }
      row={table => (
        <div key={fullName(table)} class="row table-row" role="row">
          <span role="cell" class="one-line">
            <Icon name="database" />{' '}
            <a href={to('repositories', repository, 'iceberg', fullName(table), { ref })}>{shownName(table.name)}</a>
          </span>
          <span role="cell" class="muted one-line">
            {shownName(table.namespace.join('.'))}
          </span>
        </div>
      )}
    />
  );
}
