/** The little HTML that Markdown files have, as data. Unknown elements leave their text; scripts and styles leave nothing. */

export interface HtmlElement {
  readonly tag: string;
  /** Names in lower case. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly HtmlNode[];
}
export type HtmlNode = string | HtmlElement;

const allowed = new Set(
  'a b blockquote br code dd del details div dl dt em hr i img kbd li ol p pre s small span strong sub summary sup table tbody td th thead tr u ul'.split(
    ' ',
  ),
);
const single = new Set(['br', 'hr', 'img']);
const dropped = /<(script|style|iframe|object|embed|template|noscript|textarea|title|svg|math)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;
const tagPattern = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][a-z0-9-]*)((?:\s+[^<>"'=\s/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?)*)\s*\/?>/gi;
const attributePattern = /([^<>"'=\s/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?/g;

interface Open {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: HtmlNode[];
}

export function parseInlineHtml(source: string): readonly HtmlNode[] {
  const text = source.replace(dropped, '');
  const root: Open = { tag: '', attributes: {}, children: [] };
  const open: Open[] = [root];
  const top = (): Open => open.at(-1) ?? root;
  let from = 0;
  const put = (piece: string): void => {
    if (piece !== '') top().children.push(decodeEntities(piece));
  };
  for (const match of text.matchAll(tagPattern)) {
    put(text.slice(from, match.index));
    from = match.index + match[0].length;
    const [, closing = '', name, attributes = ''] = match;
    const tag = name?.toLowerCase() ?? '';
    if (!allowed.has(tag)) continue;
    if (closing !== '') {
      const at = open.findLastIndex(element => element.tag === tag);
      if (at > 0) open.length = at;
      continue;
    }
    const element: Open = { tag, attributes: attributesOf(attributes), children: [] };
    top().children.push(element);
    if (!single.has(tag)) open.push(element);
  }
  put(text.slice(from));
  return root.children;
}

function attributesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(attributePattern)].map(([, name = '', ...values]) => [
      name.toLowerCase(),
      decodeEntities(values.find(value => value !== undefined) ?? ''),
    ]),
  );
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
