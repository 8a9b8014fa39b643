/** Notebooks: cells and their outputs. HTML of an output stands in a frame of its own, where no script runs. */

import { With, useAsync } from '@srv/lib-page/page';
import { decoded, readHead } from '../../core/content.js';
import { useBlobUrl } from '../../parts/blob-url.js';
import { Code } from './code.js';
import { Markdown } from './markdown.js';
import type { ShownObject } from '@srv/lib-page/page';

interface Output {
  readonly output_type?: string;
  readonly text?: string | readonly string[];
  readonly data?: Readonly<Record<string, unknown>>;
  readonly ename?: string;
  readonly evalue?: string;
}
interface Cell {
  readonly cell_type?: string;
  readonly source?: string | readonly string[];
  readonly outputs?: readonly Output[];
}

const most = 20 * 1024 * 1024;
const joined = (text: unknown): string => (Array.isArray(text) ? text.join('') : typeof text === 'string' ? text : '');

export function NotebookView({ object }: { readonly object: ShownObject }) {
  const notebook = useAsync(
    async signal => {
      const head = await readHead(object, most, signal);
      const { cells } = JSON.parse(decoded(head)) as { cells?: unknown };
      if (!Array.isArray(cells)) throw new Error('This is not a notebook: it has no cells.');
      return cells as readonly Cell[];
    },
    [object.url],
  );
  return (
    <div class="card-body form">
      <With answer={notebook}>
        {cells => (
          <>
            {cells.map((cell, i) =>
              cell.cell_type === 'markdown' ? (
                <Markdown key={i} text={joined(cell.source)} repository={object.repository} ref_={object.ref} path={object.path} />
              ) : (
                <div key={i} class="form">
                  {joined(cell.source) !== '' && <Code text={joined(cell.source)} language="py" label={`Cell ${i + 1}`} />}
                  {(cell.outputs ?? []).map((output, j) => (
                    <OutputView key={j} output={output} />
                  ))}
                </div>
              ),
            )}
          </>
        )}
      </With>
    </div>
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of terminals begin with one
const escapes = /\u001b\[[0-9;]*m/g;

function OutputView({ output: { text, data = {}, ename, evalue } }: { readonly output: Output }) {
  const image = ['image/png', 'image/jpeg', 'image/gif'].find(type => data[type] !== undefined);
  if (image) return <img class="thumb" src={`data:${image};base64,${joined(data[image]).replace(/\s/g, '')}`} alt="Output" />;
  if (data['text/html'] !== undefined) return <Sandboxed html={joined(data['text/html'])} />;
  const plain = ename === undefined ? joined(text) || joined(data['text/plain']) : `${ename}: ${evalue ?? ''}`;
  return plain === '' ? null : (
    <pre class="code-block" tabIndex={0} role="region" aria-label="Output">
      {plain.replace(escapes, '')}
    </pre>
  );
}

/** A document of its own origin without scripts, forms, or a way out. */
function Sandboxed({ html }: { readonly html: string }) {
  const document = `<!doctype html><meta charset="utf-8"><title>Output</title>${html}`;
  const url = useBlobUrl(document, 'text/html');
  return url === undefined ? null : <iframe class="frame" title="Output" sandbox="" src={url} />;
}
