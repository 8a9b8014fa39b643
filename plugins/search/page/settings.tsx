/** Which branches are indexed for search, and how far the index is. */

import {
  Button,
  Empty,
  Field,
  FormDialog,
  With,
  ask,
  counted,
  messageOf,
  notify,
  repositoryResource,
  send,
  shownName,
  unlessChanged,
  useAsync,
  useDenial,
} from '@srv/lib-page/page';
import { useEffect, useState } from 'preact/hooks';
import './style.css';
import type { RepositoryPlace } from '@srv/lib-page/page';

interface Status {
  /** Of the settings and of the server's configuration. */
  readonly patterns: readonly string[];
  readonly branches: readonly { readonly branch: string; readonly commit_id: string; readonly indexed: boolean }[];
  readonly waiting_commits: number;
}

interface Settings {
  readonly branches: readonly string[];
  /** Names this state of the settings, empty for none: it makes the server reject a change if another one was made meanwhile. */
  readonly etag: string;
}

/** Milliseconds between looks at an index that is being made. */
const pause = 2000;

async function readSettings(repository: string, signal: AbortSignal): Promise<Settings> {
  const response = await send('getSearchSettings', { repository }, { signal });
  const { branches } = (await response.json()) as Pick<Settings, 'branches'>;
  return { branches, etag: response.headers.get('etag') ?? '' };
}

export default function Search({ repository, readOnly }: RepositoryPlace) {
  const status = useAsync(async signal => (await ask('getSearchStatus', { repository }, { signal })) as Status, [repository]);
  const settings = useAsync(signal => readSettings(repository, signal), [repository]);
  /** What the dialog began with. */
  const [edited, setEdited] = useState<Settings>();
  const denied = useDenial('fs:UpdateRepository', repositoryResource(repository));
  const off = readOnly ? 'this repository is read-only' : denied;
  const isBusy = status.state === 'ready' && status.value.branches.some(({ indexed }) => !indexed);
  useEffect(() => {
    if (!isBusy) return;
    const timer = setTimeout(status.reload, pause);
    return () => clearTimeout(timer);
  }, [isBusy, status]);
  const reload = (): void => {
    status.reload();
    settings.reload();
  };
  const rebuild = async (): Promise<void> => {
    await ask('rebuildSearch', { repository });
    notify('The index is made again');
    reload();
  };
  return (
    <div class="form">
      <div class="toolbar">
        <h2>Search</h2>
        <With answer={settings}>
          {found => (
            <span class="spread group">
              <Button
                off={off ?? (found.branches.length === 0 ? 'no branch is indexed' : undefined)}
                onClick={() => void rebuild().catch((error: unknown) => notify(messageOf(error), 'failed'))}
              >
                Rebuild
              </Button>
              <Button kind="primary" off={off} onClick={() => setEdited(found)}>
                Change
              </Button>
            </span>
          )}
        </With>
      </div>
      <p class="muted">Objects of indexed branches are found by their size, time, type, metadata and author.</p>
      <With answer={status}>
        {({ branches, waiting_commits: waiting }) => (
          <div class="card">
            {branches.length === 0 && <Empty icon="search" title="No branch is indexed" />}
            {branches.map(({ branch, commit_id: commit, indexed }) => (
              <div class="row search-row" key={branch}>
                <span class="cell-name">{shownName(branch)}</span>
                <code class="muted">{commit.slice(0, 12)}</code>
                <span class={`badge ${indexed ? 'added' : 'accent'}`}>{indexed ? 'indexed' : 'being indexed'}</span>
              </div>
            ))}
            {waiting > 0 && <p class="small muted">{counted(waiting, 'commit')} to be indexed</p>}
          </div>
        )}
      </With>
      {edited && (
        <EditPatterns
          repository={repository}
          settings={edited}
          onClose={() => setEdited(undefined)}
          onChanged={reload}
          onDone={() => {
            setEdited(undefined);
            notify('Saved the branches of the index');
            reload();
          }}
        />
      )}
    </div>
  );
}

interface EditPatternsProps {
  readonly repository: string;
  /** Those that the text begins with, and that are replaced. */
  readonly settings: Settings;
  readonly onClose: () => void;
  /** Another change was made since the settings were read. */
  readonly onChanged: () => void;
  readonly onDone: () => void;
}

function EditPatterns({ repository, settings: { branches, etag }, onClose, onChanged, onDone }: EditPatternsProps) {
  const [text, setText] = useState(branches.join(' '));
  const save = async (): Promise<void> => {
    await unlessChanged(
      ask('setSearchSettings', { repository, body: { branches: text.split(/\s+/).filter(Boolean) }, 'If-Match': etag }),
      onChanged,
      'Close this dialog, then change the current patterns.',
    );
    onDone();
  };
  return (
    <FormDialog title="Indexed branches" action="Save" onClose={onClose} onSubmit={save}>
      <Field
        label="Patterns"
        placeholder="main release-*"
        value={text}
        onInput={setText}
        focus
        hint="Names of branches, separated by spaces; * stands for any text. Without any, the index is removed."
      />
    </FormDialog>
  );
}
