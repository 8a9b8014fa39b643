/** Columns of the tables that a query names: what the files themselves say of them. */
import { ask, send, useAsync } from '@srv/lib-page/page';
import { addressOf, addressText, patternOf } from '@srv/lib-records/tables/sql/address';
import { fileUsesOf } from '@srv/lib-records/tables/sql/file-uses';
import { extensionOf } from '@srv/lib-records/tables/sql/formats';
import { statementsOf } from '@srv/lib-records/tables/sql/statements';
import { useEffect, useState } from 'preact/hooks';
import type { Address } from '@srv/lib-records/tables/sql/address';
import type { TableFormat } from '@srv/lib-records/tables/table-format';

export interface KnownTable {
  readonly address: string;
  readonly columns: readonly { readonly name: string; readonly type?: string; readonly isNumeric: boolean }[];
}

/** Milliseconds after the last key. */
const typingMs = 500;
/** Tables of a query whose columns are looked up. */
const most = 8;

const formats: Readonly<Record<string, TableFormat>> = {
  parquet: 'parquet',
  csv: 'delimited',
  tsv: 'delimited',
  jsonl: 'json-lines',
  ndjson: 'json-lines',
};

export function useKnownTables(query: string): readonly KnownTable[] {
  const [settled, setSettled] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(query), typingMs);
    return () => clearTimeout(timer);
  }, [query]);
  const addresses = addressesIn(settled);
  const tables = useAsync(async signal => {
    const found = await Promise.allSettled(addresses.map(address => columnsOf(address, signal)));
    // What cannot be read is what the query will say.
    return found.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []));
  }, addresses);
  return tables.state === 'ready' ? tables.value : [];
}

function addressesIn(query: string): readonly Address[] {
  try {
    const uses = statementsOf(query).flatMap(fileUsesOf);
    const texts = [...new Set(uses.flatMap(({ role, address }) => (role === 'write' ? [] : [address])))];
    return texts
      .map(addressOf)
      .filter(({ path }) => !patternOf(path) && formatOf(path) !== undefined)
      .slice(0, most);
  } catch {
    // It is not finished.
    return [];
  }
}

function formatOf(path: string): TableFormat | undefined {
  const extension = extensionOf(path);
  return Object.hasOwn(formats, extension) ? formats[extension] : undefined;
}

/** @throws Refusal, or what the reader of the format throws. */
export async function columnsOf(address: Address, signal: AbortSignal): Promise<KnownTable> {
  const { openTable } = await import('./tables.js');
  const { size_bytes: size = 0 } = (await ask('statObject', { ...address, user_metadata: false }, { signal })) as {
    readonly size_bytes?: number;
  };
  const table = await openTable(formatOf(address.path) ?? 'parquet', {
    size,
    smallBytes: 0,
    async read(from, to) {
      if (to <= from) return new Uint8Array();
      const response = await send('getObject', { ...address, Range: `bytes=${from}-${to - 1}` }, { signal });
      return new Uint8Array(await response.arrayBuffer());
    },
  });
  return {
    address: addressText(address),
    columns: table.columns.map(({ name, type, isNumeric }) => ({ name, isNumeric, ...(type === undefined ? {} : { type }) })),
  };
}
