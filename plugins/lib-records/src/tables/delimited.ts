/** Records of CSV and TSV (RFC 4180: quotes, doubled quotes, line breaks in quotes). */

/** Empty lines are not records. @param text ends where a record ends. */
export function parseRecords(text: string, delimiter: string): string[][] {
  const records: string[][] = [];
  for (let at = 0; at < text.length; ) {
    const { record, end } = readRecord(text, at, delimiter);
    if (record.length > 1 || record[0] !== '') records.push(record);
    at = end;
  }
  return records;
}

/** @returns the record that begins at a place, and the place after its line end. */
export function readRecord(text: string, start: number, delimiter: string): { readonly record: string[]; readonly end: number } {
  const record: string[] = [];
  for (let at = start; ; ) {
    const field = text[at] === '"' ? quotedField(text, at) : plainField(text, at, delimiter, '');
    const { value, end } = field.isClosed ? plainField(text, field.end, delimiter, field.value) : field;
    record.push(value);
    if (text[end] !== delimiter || end >= text.length)
      return { record, end: text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1 };
    at = end + 1;
  }
}

interface Field {
  readonly value: string;
  /** After it. */
  readonly end: number;
  /** Its quotes end; what follows belongs to it as it is. */
  readonly isClosed?: boolean;
}

function quotedField(text: string, start: number): Field {
  let value = '';
  for (let at = start + 1; ; ) {
    const end = text.indexOf('"', at);
    if (end < 0) return { value: value + text.slice(at), end: text.length };
    value += text.slice(at, end);
    if (text[end + 1] !== '"') return { value, end: end + 1, isClosed: true };
    value += '"';
    at = end + 2;
  }
}

function plainField(text: string, start: number, delimiter: string, before: string): Field {
  let end = start;
  while (end < text.length) {
    const char = text[end];
    if (char === delimiter || char === '\n' || char === '\r') break;
    end++;
  }
  return { value: before + text.slice(start, end), end };
}

const candidates = [',', '\t', ';', '|'];
/** Records that are looked at. */
const sampled = 20;

/**
 * The one that splits the first records into the same number of fields, as many as possible; delimiters in quotes do not count.
 */
export function bestDelimiter(text: string): string {
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
