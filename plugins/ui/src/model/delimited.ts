/** CSV and TSV, as far as a preview needs them. */

interface Delimited {
  readonly columns: readonly string[];
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
  const rest = field !== '' || record.length > 0;
  if (rest && records.length <= most) {
    endField();
    records.push(record);
  }
  const [columns = [], ...rows] = records;
  return { columns, rows: rows.slice(0, most), cut: at < text.length };
}

/** The one that the first line has most of. */
function bestDelimiter(text: string): string {
  const line = text.slice(0, 4096).split(/\r?\n/, 1)[0] ?? '';
  const counts = [',', '\t', ';', '|'].map(char => ({ char, count: line.split(char).length - 1 }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).char;
}
