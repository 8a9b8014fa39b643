/** Cells of a table that are in sight, fetched block by block. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ShownCell, TableShape } from '@srv/lib-records/tables/table-protocol';
import type { Sight } from '../../../src/model/grid-sight.js';
import type { TableClient } from '../../tables/table-client.js';

interface Cells {
  readonly cell: (row: number, column: number) => ShownCell;
  readonly onSight: (sight: Sight) => void;
  readonly error: unknown;
  readonly retry: () => void;
  /** Some of what is in sight is on its way. */
  readonly isBusy: boolean;
}

interface CellsOptions {
  readonly client: TableClient;
  readonly table?: number;
  /** Rows that are shown. */
  readonly rows: number;
  readonly columns: number;
  /** Number in the table of a row that is shown; one that does not exist has no cells. */
  readonly numberOf: (row: number) => number;
  /** What is shown: with another name everything is fetched again. */
  readonly name: string;
  readonly onShape?: (shape: TableShape) => void;
}

/** Rows and columns of a block. */
const height = 64;
const width = 16;

export function useCells(options: CellsOptions): Cells {
  const latest = useRef(options);
  latest.current = options;
  const blocks = useRef(new Map<string, readonly (readonly ShownCell[])[] | undefined>());
  const [, redraw] = useState(0);
  const [error, setError] = useState<unknown>();
  const sight = useRef<Sight | undefined>(undefined);
  const name = useRef(options.name);
  if (name.current !== options.name) {
    name.current = options.name;
    blocks.current = new Map();
  }
  const fetchBlock = useCallback((row: number, column: number): void => {
    const { client, table = 0, rows, columns, numberOf, onShape } = latest.current;
    const into = blocks.current;
    const key = `${row} ${column}`;
    if (into.has(key)) return;
    into.set(key, undefined);
    const numbers = range(row * height, Math.min(rows, (row + 1) * height)).map(numberOf);
    const places = range(column * width, Math.min(columns, (column + 1) * width));
    client.ask('cells', { table, rows: numbers, columns: places }).then(
      ({ cells, shape }) => {
        into.set(key, cells);
        onShape?.(shape);
        redraw(turn => turn + 1);
      },
      (reason: unknown) => {
        into.delete(key);
        if (!(reason instanceof DOMException)) setError(reason);
      },
    );
  }, []);
  const onSight = useCallback((seen: Sight): void => {
    sight.current = seen;
    for (const row of range(Math.floor(seen.firstRow / height), Math.ceil(seen.lastRow / height)))
      for (const column of range(Math.floor(seen.firstColumn / width), Math.ceil(seen.lastColumn / width))) fetchBlock(row, column);
  }, []);
  useEffect(() => {
    setError(undefined);
    if (sight.current) onSight(sight.current);
  }, [options.name, options.rows, options.columns]);
  return {
    cell: (row, column) =>
      blocks.current.get(`${Math.floor(row / height)} ${Math.floor(column / width)}`)?.[row % height]?.[column % width],
    onSight,
    error,
    retry: () => {
      setError(undefined);
      if (sight.current) onSight(sight.current);
    },
    isBusy: [...blocks.current.values()].includes(undefined),
  };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}
