/** Lines for a program that reads this repository at this ref. */
import { Code, Copy } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import type { RepositoryPlace } from '@srv/lib-page/page';

export default function UseFromPython({ repository, ref }: RepositoryPlace) {
  const [open, setOpen] = useState(false);
  const text = linesFor(repository, ref, new URL('hf', document.baseURI).href);
  return (
    <details open={open} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>With the libraries of Hugging Face</summary>
      {open && (
        <>
          <div class="toolbar">
            <span>The token is an access key.</span>
            <span class="spread">
              <Copy text={text} what="the lines" />
            </span>
          </div>
          <Code text={text} language="python" label="Python" />
        </>
      )}
    </details>
  );
}

/** `org--zoo` is `org/zoo` there. */
function linesFor(repository: string, ref: string, endpoint: string): string {
  const at = repository.indexOf('--');
  const id = at > 0 ? `${repository.slice(0, at)}/${repository.slice(at + 2)}` : repository;
  const [name, revision] = [id, ref].map(value => JSON.stringify(value));
  return [
    'import os',
    `os.environ["HF_ENDPOINT"] = ${JSON.stringify(endpoint)}`,
    'os.environ["HF_TOKEN"] = "ACCESS_KEY_ID:SECRET_ACCESS_KEY"',
    '',
    'from datasets import load_dataset',
    `data = load_dataset(${name}, revision=${revision})`,
    '',
    'from huggingface_hub import snapshot_download',
    `folder = snapshot_download(${name}, repo_type="dataset", revision=${revision})`,
    '',
  ].join('\n');
}
