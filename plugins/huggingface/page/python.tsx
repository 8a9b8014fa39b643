/** Lines for a program that reads this repository at this ref. */
import { Code, Copy, With, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import type { RepositoryPlace } from '@srv/lib-page/page';

export default function UseFromPython(place: RepositoryPlace) {
  const [open, setOpen] = useState(false);
  return (
    <details open={open} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>With the libraries of Hugging Face</summary>
      {open && <Lines {...place} />}
    </details>
  );
}

function Lines({ repository, ref }: RepositoryPlace) {
  const endpoint = new URL('hf', document.baseURI).href;
  const name = useAsync(signal => nameOf(repository, endpoint, signal), [repository]);
  return (
    <With answer={name}>
      {id => {
        const text = linesFor(id, ref, endpoint);
        return (
          <>
            <div class="toolbar">
              <span>The token is an access key.</span>
              <span class="spread">
                <Copy text={text} what="the lines" />
              </span>
            </div>
            <Code text={text} language="python" label="Python" />
          </>
        );
      }}
    </With>
  );
}

/** How those programs name it. @throws Error that says why they cannot. */
async function nameOf(repository: string, endpoint: string, signal: AbortSignal): Promise<string> {
  const answer = await fetch(`${endpoint}/api/names/${repository}`, { signal });
  if (!answer.headers.get('content-type')?.startsWith('application/json'))
    throw new Error('This server does not offer the API of the Hub.');
  const { id, error } = (await answer.json()) as { readonly id?: string; readonly error?: string };
  if (id === undefined) throw new Error(error ?? `the server answers ${answer.status}`);
  return id;
}

function linesFor(id: string, ref: string, endpoint: string): string {
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
