/**
 * The little HTML that Markdown files have, as data. Unknown elements leave what is in them; scripts, styles and frames leave
 * nothing. Markdown hands out HTML in pieces: an element may begin in one and end in another, with other things between.
 */

interface HtmlElement<T = never> {
  readonly tag: string;
  /** Names in lower case. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly HtmlNode<T>[];
}
/** `T`: what stands between the pieces of HTML. */
export type HtmlNode<T = never> = string | HtmlElement<T> | { readonly other: T };

const allowed = new Set(
  'a b blockquote br code dd del details div dl dt em hr i img kbd li ol p pre s small span strong sub summary sup table tbody td th thead tr u ul'.split(
    ' ',
  ),
);
const single = new Set(['br', 'hr', 'img']);
const dropped = new Set('script style iframe object embed template noscript textarea title svg math'.split(' '));
const tagPattern = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][a-z0-9-]*)((?:\s+[^<>"'=\s/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?)*)\s*\/?>/gi;
const attributePattern = /([^<>"'=\s/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?/g;

interface Open<T> {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: HtmlNode<T>[];
}

/** Puts pieces together; what is still open at the end is closed. */
export class HtmlTree<T = never> {
  readonly #root: Open<T> = { tag: '', attributes: {}, children: [] };
  readonly #open: Open<T>[] = [this.#root];

  get nodes(): readonly HtmlNode<T>[] {
    return this.#root.children;
  }

  addOther(other: T): void {
    this.#put({ other });
  }

  addHtml(text: string): void {
    let from = 0;
    for (const match of text.matchAll(tagPattern)) {
      this.#putText(text.slice(from, match.index));
      from = match.index + match[0].length;
      const [, closing = '', name, attributes = ''] = match;
      const tag = name?.toLowerCase() ?? '';
      if (closing !== '') this.#close(tag);
      else if (allowed.has(tag) || dropped.has(tag)) this.#begin(tag, attributes);
    }
    this.#putText(text.slice(from));
  }

  #begin(tag: string, attributes: string): void {
    const element: Open<T> = { tag, attributes: attributesOf(attributes), children: [] };
    // Kept open to swallow what is in it, and never shown.
    if (!dropped.has(tag)) this.#put(element);
    if (!single.has(tag)) this.#open.push(element);
  }

  #close(tag: string): void {
    const at = this.#open.findLastIndex(element => element.tag === tag);
    if (at > 0) this.#open.length = at;
  }

  #put(node: HtmlNode<T>): void {
    (this.#open.at(-1) ?? this.#root).children.push(node);
  }

  #putText(text: string): void {
    if (text !== '') this.#put(decodeEntities(text));
  }
}

/** A fragment alone. */
export function parseInlineHtml(source: string): readonly HtmlNode[] {
  const tree = new HtmlTree();
  tree.addHtml(source);
  return tree.nodes;
}

function attributesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(attributePattern)].map(([, name = '', ...values]) => [
      name.toLowerCase(),
      decodeEntities(values.find(value => value !== undefined) ?? ''),
    ]),
  );
}

const named: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
    copy: '©',
    mdash: '—',
    ndash: '–',
    hellip: '…',
  }),
);

/** Text with the characters that are written by number or by a common name; other names stay as they are. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named.get(name.toLowerCase()) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
