/** The one HTML document of the page. What it needs to know of the server is in it, so that nothing has to be asked first. */
import { createHash } from 'node:crypto';
import { compressed } from './assets.js';
import type { Asset } from './assets.js';
import type { OperationRow } from './operation-table.js';
import type { PagePartFile, ShellFiles } from './page-parts.js';

/** What the server passes to the page. */
interface Boot {
  readonly version: string;
  readonly operations: Readonly<Record<string, OperationRow>>;
  readonly parts: readonly PagePartFile[];
  readonly shell: ShellFiles;
}

interface Rendered extends Asset {
  /** Weak: the same for every encoding. */
  readonly etag: string;
}

/** In the head of the template. */
const marker = '<!--boot-->';
const snippetMarker = '<!--Snippets-->';

/** Deeper paths are served as this deep: no route of the page is. */
const maxDepth = 12;

export class PageDocument {
  readonly #template: string;
  readonly #boot: string;
  readonly #byDepth = new Map<number, Promise<Rendered>>();

  /** @param snippets HTML of the operator, for the head. */
  constructor(template: string, boot: Boot, snippets = '') {
    this.#template = snippets === '' ? template : template.replaceAll(snippetMarker, () => snippets);
    // Data, never code; `<` would end the element.
    this.#boot = JSON.stringify(boot).replaceAll('<', '\\u003c');
  }

  /**
   * All addresses in the page are relative to its root. A path prefix that a proxy takes off is not known here, but the
   * number of folders from the requested path to the root is.
   */
  at(path: string): Promise<Rendered> {
    const depth = Math.min(path.split('/').length - 2, maxDepth);
    let rendered = this.#byDepth.get(depth);
    if (!rendered) {
      rendered = this.#render(depth);
      this.#byDepth.set(depth, rendered);
    }
    return rendered;
  }

  async #render(depth: number): Promise<Rendered> {
    const base = depth > 0 ? '../'.repeat(depth) : './';
    const head = `<base href="${base}"><script type="application/json" id="boot">${this.#boot}</script>`;
    const body = Buffer.from(this.#template.replace(marker, () => head));
    const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    return { type: 'text/html; charset=utf-8', bodies: await compressed(body), etag };
  }
}
