/** Markdown, drawn from its tokens: no HTML of an object ever reaches the document as HTML. */

import { objectOf, objectUrl, objectsOf, shownName } from '@srv/lib-page/page';
import { lexer } from 'marked';
import { Fragment } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { splitReferences, takeFootnotes } from '../../../src/model/footnotes.js';
import { languageExtension } from '../../../src/model/highlight.js';
import { HtmlTree, decodeEntities } from '../../../src/model/markdown-html.js';
import { resolveLink } from '../../../src/model/markdown-links.js';
import { highlighted } from './highlighted.js';
import type { Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import type { HtmlNode } from '../../../src/model/markdown-html.js';

interface MarkdownProps {
  readonly text: string;
  readonly repository: string;
  readonly ref_: string;
  /** Of the file: what its links are relative to. Empty: the root. */
  readonly path: string;
  /** Raw HTML is shown as text. */
  readonly noHtml?: boolean;
}

/** Names of the notes of the text, in the order of their numbers. */
interface Place extends MarkdownProps {
  readonly notes: readonly string[];
}

export function Markdown(props: MarkdownProps) {
  const { tokens, notes } = useMemo(() => {
    const found = takeFootnotes(props.text);
    return {
      tokens: lexer(found.text, { gfm: true }),
      notes: found.notes.map(({ name, text }) => ({ name, tokens: lexer(text, { gfm: true }) })),
    };
  }, [props.text]);
  const at: Place = { ...props, notes: notes.map(({ name }) => name) };
  return (
    <div class="prose">
      {blocks(tokens, at)}
      {notes.length > 0 && (
        <ol class="footnotes" aria-label="Footnotes">
          {notes.map((note, i) => (
            <li key={i} id={`md-note-${i + 1}`}>
              {blocks(note.tokens, at)}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** Text with numbers in place of the names of its notes. */
function withReferences(text: string, { notes }: Place): ComponentChildren {
  if (notes.length === 0 || !text.includes('[^')) return text;
  return splitReferences(text, new Set(notes)).map((piece, i) => {
    if (typeof piece === 'string') return piece;
    const number = notes.indexOf(piece.name) + 1;
    return (
      <sup key={i}>
        <AnchorLink id={`note-${number}`}>{number}</AnchorLink>
      </sup>
    );
  });
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');

function blocks(tokens: readonly Token[], at: Place): ComponentChildren {
  return together(tokens, at, block);
}

function inline(tokens: readonly Token[], at: Place): ComponentChildren {
  return together(tokens, at, span);
}

/** Elements of HTML may begin in one token and end in another: `<details>`, some paragraphs, `</details>`. */
function together(tokens: readonly Token[], at: Place, draw: (token: Token, at: Place) => ComponentChildren): ComponentChildren {
  const tree = new HtmlTree<ComponentChildren>();
  for (const token of tokens) {
    if (token.type === 'html' && !at.noHtml) tree.addHtml((token as Tokens.HTML).text);
    else tree.addOther(draw(token, at));
  }
  return html(tree.nodes, at);
}

function block(token: Token, at: Place): ComponentChildren {
  switch (token.type) {
    case 'heading': {
      const { depth, text, tokens } = token as Tokens.Heading;
      const Heading = `h${Math.min(6, depth + 1)}` as 'h2';
      return (
        <Heading class={`depth-${depth}`} id={`md-${slug(text)}`}>
          {inline(tokens, at)}
        </Heading>
      );
    }
    case 'paragraph':
      return <p>{inline((token as Tokens.Paragraph).tokens ?? [], at)}</p>;
    case 'code': {
      const { text, lang = '' } = token as Tokens.Code;
      return (
        <pre tabIndex={0}>
          <code>{highlighted(text, languageExtension(lang))}</code>
        </pre>
      );
    }
    case 'blockquote':
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens ?? [], at)}</blockquote>;
    case 'list': {
      const { ordered, start, items } = token as Tokens.List;
      const entries = items.map((item, i) => <li key={i}>{blocks(item.tokens, at)}</li>);
      return ordered ? <ol {...(typeof start === 'number' ? { start } : {})}>{entries}</ol> : <ul>{entries}</ul>;
    }
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      return (
        <div class="scroll" tabIndex={0} role="region" aria-label="Table">
          <table>
            <thead>
              <tr>
                {header.map((cell, i) => (
                  <th key={i} scope="col">
                    {inline(cell.tokens, at)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, i) => (
                <tr key={i}>
                  {row.map((cell, j) => (
                    <td key={j}>{inline(cell.tokens, at)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    }
    case 'hr':
      return <hr />;
    case 'html':
      return <p>{(token as Tokens.HTML).text}</p>;
    case 'space':
    case 'def':
      return null;
    case 'checkbox':
      return done(token as Tokens.Checkbox);
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inline(tokens, at) : text;
    }
    default:
      return 'raw' in token ? token.raw : null;
  }
}

function span(token: Token, at: Place): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return <strong>{inline((token as Tokens.Strong).tokens, at)}</strong>;
    case 'em':
      return <em>{inline((token as Tokens.Em).tokens, at)}</em>;
    case 'del':
      return <del>{inline((token as Tokens.Del).tokens, at)}</del>;
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br />;
    case 'link': {
      const { href, tokens } = token as Tokens.Link;
      return (
        <MarkdownLink href={href} at={at}>
          {inline(tokens, at)}
        </MarkdownLink>
      );
    }
    case 'image': {
      const { href, text } = token as Tokens.Image;
      return <Picture href={href} alt={text} at={at} />;
    }
    case 'html':
      return (token as Tokens.HTML).text;
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inline(tokens, at) : withReferences(decodeEntities(text), at);
    }
    case 'checkbox':
      return done(token as Tokens.Checkbox);
    case 'escape':
      return decodeEntities((token as Tokens.Escape).text);
    default:
      return 'raw' in token ? token.raw : null;
  }
}

/** Of a task: first in its item, or in the paragraph that its item begins with. */
function done({ checked }: Tokens.Checkbox): ComponentChildren {
  return (
    <>
      <input type="checkbox" checked={checked} disabled aria-label="Done" />{' '}
    </>
  );
}

/** Elements of an allow-list, without any of their attributes but those named here. */
function html(nodes: readonly HtmlNode<ComponentChildren>[], at: Place): ComponentChildren {
  return nodes.map((node, i) => {
    if (typeof node === 'string') return node;
    if ('other' in node) return <Fragment key={i}>{node.other}</Fragment>;
    const { tag: Tag, attributes, children } = node;
    if (Tag === 'img')
      return <Picture key={i} href={attributes['src'] ?? ''} alt={attributes['alt'] ?? ''} width={attributes['width']} at={at} />;
    if (Tag === 'br' || Tag === 'hr') return <Tag key={i} />;
    if (Tag === 'a')
      return attributes['href'] === undefined ? (
        <span key={i}>{html(children, at)}</span>
      ) : (
        <MarkdownLink key={i} href={attributes['href']} at={at}>
          {html(children, at)}
        </MarkdownLink>
      );
    const Element = Tag as 'span';
    return <Element key={i}>{html(children, at)}</Element>;
  });
}

function MarkdownLink({ href, at, children }: { readonly href: string; readonly at: Place; readonly children: ComponentChildren }) {
  const link = resolveLink(href, { repository: at.repository, ref: at.ref_, path: at.path });
  if (link.kind === 'none') return <span>{children}</span>;
  if (link.kind === 'outside')
    return (
      <a href={link.url} target="_blank" rel="noopener noreferrer nofollow" title={link.url}>
        {children}
      </a>
    );
  if (link.kind === 'anchor') return <AnchorLink id={link.id}>{children}</AnchorLink>;
  const target =
    link.path === '' || link.path.endsWith('/')
      ? objectsOf(link.repository, link.ref, link.path)
      : objectOf(link.repository, link.ref, link.path);
  return <a href={target}>{children}</a>;
}

/** Within the document. */
function AnchorLink({ id, children }: { readonly id: string; readonly children: ComponentChildren }) {
  return (
    <a
      href={`${location.pathname}${location.search}`}
      onClick={event => {
        event.preventDefault();
        event.stopPropagation();
        document.getElementById(`md-${id}`)?.scrollIntoView();
      }}
    >
      {children}
    </a>
  );
}

/** Pictures of other hosts are links: fetching one would reveal the reader to the host. */
function Picture({
  href,
  alt,
  width,
  at,
}: {
  readonly href: string;
  readonly alt: string;
  readonly width?: string | undefined;
  readonly at: Place;
}) {
  const [broken, setBroken] = useState(false);
  const link = resolveLink(href, { repository: at.repository, ref: at.ref_, path: at.path });
  if (link.kind === 'outside')
    return (
      <a href={link.url} target="_blank" rel="noopener noreferrer nofollow">
        {alt || 'Image'} ({new URL(link.url).host})
      </a>
    );
  if (link.kind !== 'object' || broken) return <span class="muted">[{alt || shownName(href)}]</span>;
  return (
    <img
      src={objectUrl(link.repository, link.ref, link.path)}
      alt={alt}
      loading="lazy"
      {...(width && /^\d+%?$/.test(width) ? { width } : {})}
      onError={() => setBroken(true)}
    />
  );
}
