/** CSV and TSV, as far as a preview needs them. */

interface Delimited {
  /** Names of the first record; fields beyond it are named by their place. */
  readonly columns: readonly string[];
  /** As long as they are written: some may be shorter than `columns`. */
  readonly rows: readonly (readonly string[])[];
  /** The text ended within a row, which is left out. */
  readonly cut: boolean;
}

/** RFC 4180: quotes, doubled quotes, line breaks in quotes. @param most rows. */
export function parseDelimited(text: string, most: number): Delimited {
  const delimiter = bestDelimiter(text);
  const records: string[][] = [];
  let record: string[] = [];
  let field = '';
  let quoted = false;
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const endField = (): void => {
    record.push(field);
    field = '';
  };
  for (; at < text.length && records.length <= most; at++) {
    const char = text[at] ?? '';
    if (quoted) {
      if (char !== '"') field += char;
      else if (text[at + 1] === '"') {
        field += '"';
        at++;
      } else quoted = false;
    } else if (char === '"' && field === '') quoted = true;
    else if (char === delimiter) endField();
    else if (char === '\n' || char === '\r') {
      if (char === '\r' && text[at + 1] === '\n') at++;
      endField();
      if (record.length > 1 || record[0] !== '') records.push(record);
      record = [];
    } else field += char;
  }
  const isUnfinished = field !== '' || record.length > 0;
  if (isUnfinished && records.length <= most) {
    endField();
    records.push(record);
  }
  const [header = [], ...rest] = records;
  const rows = rest.slice(0, most);
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), header.length);
  const columns = Array.from({ length: width }, (_, i) => header[i] ?? `(column ${i + 1})`);
  return { columns, rows, cut: at < text.length };
}

const candidates = [',', '\t', ';', '|'];
/** Records that are looked at. */
const sampled = 20;

/**
 * The one that splits the first records into the same number of fields, as many as possible; delimiters in quotes do not count.
 */
function bestDelimiter(text: string): string {
  const head = text.slice(0, 65_536);
  const scored = candidates.map(char => {
    const counts = delimitersPerRecord(head, char);
    const first = counts[0] ?? 0;
    const share = counts.length === 0 ? 0 : counts.filter(count => count === first).length / counts.length;
    return { char, score: first * share ** 2 };
  });
  return scored.reduce((best, next) => (next.score > best.score ? next : best)).char;
}

function delimitersPerRecord(text: string, delimiter: string): number[] {
  const counts: number[] = [];
  let [count, quoted, isStart, isEmpty] = [0, false, true, true];
  for (const char of text) {
    if (quoted) {
      if (char === '"') quoted = false;
    } else if (char === '"' && isStart) quoted = true;
    else if (char === delimiter) count++;
    else if (char === '\n') {
      if (!isEmpty) counts.push(count);
      [count, isEmpty] = [0, true];
      if (counts.length >= sampled) return counts;
    }
    // A doubled quote ends the quotes and opens them again.
    isStart = char === delimiter || char === '\n' || (char === '"' && !quoted);
    if (char !== '\n' && char !== '\r') isEmpty = false;
  }
  if (!isEmpty) counts.push(count);
  return counts;
}
