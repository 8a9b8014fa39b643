/** HTML of an object in a frame of its own: without scripts, forms, network, or a way out. In the colours of the page. */
import { useComputedTheme } from '../../core/theme.js';
import { useBlobUrl } from '../../parts/blob-url.js';

/** Lines of a table, pixels a line: its own height cannot be asked for, since no script runs in it. */
const lineHeight = 26;
const [least, greatest] = [80, 640];

export function HtmlFrame({ html, title }: { readonly html: string; readonly title: string }) {
  const colorScheme = useComputedTheme();
  // The frame follows the scheme of its element.
  const document = `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Output</title>${html}`;
  const url = useBlobUrl(document, 'text/html');
  const style = { height: `${heightOf(html)}px`, colorScheme };
  return url === undefined ? null : <iframe class="frame output-frame" title={title} sandbox="" src={url} style={style} />;
}

/** By the rows and blocks that it has. */
function heightOf(html: string): number {
  const lines = (html.match(/<(?:tr|p|div|li|h[1-6]|br|pre)\b/gi) ?? []).length + (html.match(/\n/g) ?? []).length / 8;
  return Math.round(Math.min(greatest, Math.max(least, lines * lineHeight + 40)));
}
