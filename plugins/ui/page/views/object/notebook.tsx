/** Notebooks: cells and their outputs. HTML of an output stands in a frame of its own, where no script runs. */

import { Button, With, counted, sizeText, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { readNotebook } from '../../../src/model/notebook.js';
import { decoded, readHead } from '../../core/content.js';
import { Code } from './code.js';
import { HtmlFrame } from './html-frame.js';
import { Markdown } from './markdown.js';
import type { ShownObject } from '@srv/lib-page/page';
import type { Notebook, NotebookCell, NotebookOutput } from '../../../src/model/notebook.js';

const most = 128 * 1024 * 1024;
/** Cells drawn at a time. */
const step = 100;

export function NotebookView({ object }: { readonly object: ShownObject }) {
  const notebook = useAsync(
    async signal => {
      const head = await readHead(object, most, signal);
      if (head.cut) throw new Error(`This notebook is larger than ${sizeText(most)}: download it instead.`);
      return readNotebook(JSON.parse(decoded(head)));
    },
    [object.url],
  );
  return (
    <div class="card-body form">
      <With answer={notebook}>{found => <Cells notebook={found} object={object} />}</With>
    </div>
  );
}

function Cells({ notebook: { cells }, object }: { readonly notebook: Notebook; readonly object: ShownObject }) {
  const [drawn, setDrawn] = useState(step);
  return (
    <>
      {cells.slice(0, drawn).map((cell, i) => (
        <CellView key={i} cell={cell} number={i + 1} object={object} />
      ))}
      {cells.length > drawn && (
        <Button kind="plain" onClick={() => setDrawn(drawn + step)}>
          Show {counted(Math.min(step, cells.length - drawn), 'more cell')}
        </Button>
      )}
    </>
  );
}

interface CellViewProps {
  readonly cell: NotebookCell;
  readonly number: number;
  readonly object: ShownObject;
}

function CellView({ cell, number, object: { repository, ref, path } }: CellViewProps) {
  if (cell.kind === 'text') return <Markdown text={cell.source} repository={repository} ref_={ref} path={path} />;
  if (cell.kind === 'heading')
    return <Markdown text={`${'#'.repeat(cell.level)} ${cell.source}`} repository={repository} ref_={ref} path={path} />;
  if (cell.kind === 'raw') return <pre class="code-block">{cell.source}</pre>;
  return (
    <div class="form">
      {cell.source !== '' && <Code text={cell.source} language={cell.language} label={`Cell ${number}`} />}
      {cell.outputs.map((output, i) => (
        <OutputView key={i} output={output} label={`Output of cell ${number}${i === 0 ? '' : `, ${i + 1}`}`} />
      ))}
    </div>
  );
}

function OutputView({ output, label }: { readonly output: NotebookOutput; readonly label: string }) {
  if (output.kind === 'picture') return <img class="output-picture" src={output.source} alt={label} />;
  if (output.kind === 'html') return <HtmlFrame html={output.html} title={label} />;
  return output.text === '' ? null : (
    <pre class={output.kind === 'error' ? 'code-block scroll removed' : 'code-block scroll'} tabIndex={0} role="region" aria-label={label}>
      {output.text}
    </pre>
  );
}
