/** Footnotes of Markdown: `[^name]` in the text, `[^name]: …` at the beginning of a line. */

interface Footnote {
  readonly name: string;
  /** As Markdown. */
  readonly text: string;
}

export interface WithFootnotes {
  /** Without the notes themselves. */
  readonly text: string;
  readonly notes: readonly Footnote[];
}

const begin = /^ {0,3}\[\^([^\]\s]{1,100})\]:[ \t]?(.*)$/;

/** Takes the notes out; those in blocks of code are text. */
export function takeFootnotes(markdown: string): WithFootnotes {
  const kept: string[] = [];
  const notes: { name: string; lines: string[] }[] = [];
  let fence: string | undefined;
  let open: { name: string; lines: string[] } | undefined;
  for (const line of markdown.split('\n')) {
    const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1]?.slice(0, 3);
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    const [, name, first = ''] = fence === undefined && mark === undefined ? (begin.exec(line) ?? []) : [];
    if (name !== undefined) {
      open = { name, lines: [first] };
      notes.push(open);
    } else if (open && (/^(?: {2,}|\t)/.test(line) || line.trim() === '')) open.lines.push(line.replace(/^(?: {1,4}|\t)/, ''));
    else {
      open = undefined;
      kept.push(line);
    }
  }
  return { text: kept.join('\n'), notes: notes.map(note => ({ name: note.name, text: note.lines.join('\n').trim() })) };
}

/** A text in pieces: names of footnotes that exist, and what is between them. */
export function splitReferences(text: string, names: ReadonlySet<string>): readonly (string | { readonly name: string })[] {
  return text.split(/(\[\^[^\]\s]{1,100}\])/).flatMap((piece): (string | { readonly name: string })[] => {
    const name = /^\[\^([^\]\s]+)\]$/.exec(piece)?.[1];
    if (name !== undefined && names.has(name)) return [{ name }];
    return piece === '' ? [] : [piece];
  });
}
