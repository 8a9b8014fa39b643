/** What the columns of a CSV or TSV object are like, computed by an engine of SQL: the same as a reader of all its rows finds. */
import { bestDelimiter, parseRecords } from './delimited.js';
import { Histogram } from './histogram.js';
import { addressText, isPlainName } from './sql/address.js';
import { quotedText } from './sql/engine-sql.js';
import { decodeText } from './text-encoding.js';
import { safeDigits, textOrder } from './text-order.js';
import type { ColumnSummary } from './column-summary.js';
import type { Address } from './sql/address.js';
import type { Order } from './table-file.js';

export interface DelimitedObject extends Address {
  readonly delimiter: string;
  /** How many there are. */
  readonly columns: number;
}

/** Runs a query of one row. @returns its values as texts. */
type RunQuery = (sql: string) => Promise<Readonly<Record<string, string | null>>>;

/** Columns of one query. */
const mostColumns = 60;
/** Different values of a column that are counted one by one, and of these the most frequent that are shown. */
const [mostCounted, shownTop] = [2000, 10];

/** Rows of one column may be empty lines, which readers take differently. */
export function canSummarize({ path, columns }: Pick<DelimitedObject, 'path' | 'columns'>): boolean {
  return columns > 1 && columns <= mostColumns && isPlainName(path);
}

/**
 * @param at of an object of which {@link canSummarize} is true.
 * @param head its first bytes.
 * @returns `undefined` where the engine takes records otherwise than readers, as far as the head shows: in another encoding, after empty
 * lines, and with fields that have spaces before their quotes.
 */
export function delimitedObject(at: Address, columns: number, head: Uint8Array): DelimitedObject | undefined {
  const { text, encoding } = decodeText(head, true);
  if (encoding !== 'utf-8' || /^[\r\n]/.test(text)) return undefined;
  const delimiter = bestDelimiter(text);
  const { repository, ref, path } = at;
  const isAlike = parseRecords(text, delimiter).every(record =>
    record.every(field => !field.trimStart().startsWith('"') || field.startsWith('"')),
  );
  return isAlike ? { repository, ref, path, delimiter, columns } : undefined;
}

/** By number of the column. @throws what the query throws, such as for a file that the engine cannot read. */
export async function summarizeDelimited(object: DelimitedObject, run: RunQuery): Promise<readonly ColumnSummary[]> {
  const places = Array.from({ length: object.columns }, (_, i) => i);
  const facts = await run(query(object, ['count(*) AS n', ...places.flatMap(factsOf)]));
  const found = places.map(place => new Facts(facts, place));
  const asked = found.flatMap(each => each.distributionSql ?? []);
  const distributions = asked.length === 0 ? {} : await run(query(object, asked));
  return found.map((each, place) => each.summary(distributions[`h${place}`] ?? undefined));
}

/** Reads every value as the text that it is, and says of each whether it is a number. */
function query(object: DelimitedObject, selected: readonly string[]): string {
  const places = Array.from({ length: object.columns }, (_, i) => i);
  const columns = places.map(place => `'c${place}': 'VARCHAR'`).join(', ');
  const options = `auto_detect = false, header = true, delim = ${quotedText(object.delimiter)}, quote = '"', escape = '"', null_padding = true, parallel = false, nullstr = '${notACell()}'`;
  const numbers = places.map(place => `regexp_full_match(c${place}, ${numberPattern}) AND length(c${place}) <= 400 AS n${place}`);
  const sizes = places.map(place => `CASE WHEN n${place} THEN TRY_CAST(c${place} AS DOUBLE) END AS d${place}`);
  return [
    `WITH texts AS (SELECT * FROM read_csv(${quotedText(addressText(object))}, ${options}, columns = {${columns}})),`,
    `kinds AS (SELECT *, ${numbers.join(', ')} FROM texts), sizes AS (SELECT *, ${sizes.join(', ')} FROM kinds)`,
    `SELECT ${selected.join(', ')} FROM sizes`,
  ].join(' ');
}

/** The engine must have a text that stands for a missing value. */
function notACell(): string {
  return `srv ${crypto.getRandomValues(new Uint32Array(4)).join(' ')}`;
}

/** As `textOrder` has it. */
const numberPattern = "'[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]{1,4})?'";

function factsOf(place: number): readonly string[] {
  const [text, isNumber, size] = [`c${place}`, `n${place}`, `d${place}`];
  // Integers that a number of this size cannot hold differ by their digits.
  const order = `{'size': ${size}, 'digits': TRY_CAST(${text} AS HUGEINT)}`;
  const other = `NOT ${isNumber} AND ${text} <> ''`;
  // Numbers of one size are one value, however they are written; zero has no sign.
  const digits = `CASE WHEN ltrim(${text}, '+-0') = '' THEN '0' ELSE concat(CASE WHEN ${text} LIKE '-%' THEN '-' END, ltrim(${text}, '+-0')) END`;
  const isLong = `length(${text}) > ${safeDigits} AND regexp_full_match(${text}, '[+-]?[0-9]+')`;
  const value = `CASE WHEN NOT ${isNumber} THEN ${text} WHEN ${isLong} THEN ${digits} ELSE CAST(${size} + 0.0 AS VARCHAR) END`;
  return [
    `count(*) - count(${text}) AS nulls${place}`,
    `count(DISTINCT ${value}) AS distinct${place}`,
    `arg_min(${text}, ${order}) FILTER (${isNumber}) AS least${place}`,
    `arg_max(${text}, ${order}) FILTER (${isNumber}) AS greatest${place}`,
    `min(${text}) FILTER (${other}) AS first${place}`,
    `max(${text}) FILTER (${other}) AS last${place}`,
    `min(${size}) FILTER (isfinite(${size})) AS from${place}`,
    `max(${size}) FILTER (isfinite(${size})) AS to${place}`,
  ];
}

interface Counted {
  readonly value: string;
  readonly count: number;
}

/** Of one column. */
class Facts {
  readonly #facts: Readonly<Record<string, string | null>>;
  readonly #place: number;

  constructor(facts: Readonly<Record<string, string | null>>, place: number) {
    this.#facts = facts;
    this.#place = place;
  }

  #text(name: string): string | null {
    return this.#facts[`${name}${this.#place}`] ?? null;
  }

  get #isCounted(): boolean {
    return Number(this.#text('distinct')) <= mostCounted;
  }

  /** Bars of equal width over all finite numbers; `undefined`: the column has no number. */
  get #bars(): Histogram['bars'] | undefined {
    const [from, to] = [this.#text('from'), this.#text('to')];
    if (from === null || to === null) return undefined;
    const histogram = new Histogram();
    for (const limit of [from, to]) histogram.add(Number(limit));
    return histogram.bars;
  }

  get distributionSql(): string | undefined {
    const place = this.#place;
    if (this.#isCounted) return `to_json(map_entries(histogram(c${place}))) AS h${place}`;
    const { width } = this.#bars ?? {};
    if (width === undefined) return undefined;
    return `to_json(map_entries(histogram(floor(d${place} / ${width}) :: BIGINT) FILTER (isfinite(d${place})))) AS h${place}`;
  }

  /** @param counted entries of a map, as JSON. */
  summary(counted: string | undefined): ColumnSummary {
    const entries = (JSON.parse(counted ?? 'null') ?? []) as { readonly key: string | number; readonly value: number }[];
    const values = this.#isCounted ? merged(entries.map(({ key, value }) => ({ value: String(key), count: value }))) : undefined;
    const bars = this.#filledBars(values ?? entries.map(({ key, value }) => ({ value: String(key), count: value })));
    return {
      rows: Number(this.#facts['n']),
      nulls: Number(this.#text('nulls')),
      distinct: Number(this.#text('distinct')),
      isExact: true,
      least: this.#text('least') ?? this.#text('first'),
      greatest: this.#text('last') ?? this.#text('greatest'),
      top: topOf(values ?? []),
      ...(bars ? { bars } : {}),
    };
  }

  #filledBars(entries: readonly Counted[]): ColumnSummary['bars'] {
    const bars = this.#bars;
    if (!bars || bars.counts.length < 2) return undefined;
    const { from, width } = bars;
    const counts = bars.counts.map(() => 0);
    for (const { value, count } of entries) {
      const order = textOrder(value);
      if (order === null || typeof order === 'string') continue;
      // Where values are not counted one by one, these are numbers of bars.
      const bar = (this.#isCounted ? Math.floor(Number(order) / width) : Number(order)) - from / width;
      const known = counts[bar];
      if (known !== undefined) counts[bar] = known + count;
    }
    return { from, width, counts, labels: [String(from), String(from + width * counts.length)] };
  }
}

/** Texts of the same number are one value. */
function merged(values: readonly Counted[]): readonly Counted[] {
  const found = new Map<Order, Counted>();
  for (const { value, count } of values) {
    const order = textOrder(value) ?? '';
    const known = found.get(order);
    found.set(order, { value: known?.value ?? value, count: count + (known?.count ?? 0) });
  }
  return [...found.values()];
}

function topOf(values: readonly Counted[]): readonly Counted[] {
  // Where every value is another one, none is frequent.
  if (values.length > shownTop && values.every(({ count }) => count === 1)) return [];
  return values.toSorted((a, b) => b.count - a.count).slice(0, shownTop);
}
