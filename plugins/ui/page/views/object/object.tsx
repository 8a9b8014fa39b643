/** One object: the viewer that fits it best, and others that fit. */

import {
  Boundary,
  Button,
  Empty,
  Icon,
  RefPicker,
  Size,
  Wide,
  With,
  call,
  later,
  objectUrl,
  objectsOf,
  shownName,
  to,
  useAsync,
  useDenial,
  usePlace,
} from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { resolveRef } from '../../core/refs.js';
import { PathBar } from '../../parts/path-bar.js';
import { RowDialog } from '../objects/row-dialogs.js';
import { viewersOf } from './content.js';
import type { RepositoryPlace, ShownObject } from '@srv/lib-page/page';

const RestoreDialog = later(() => import('./restore-dialog.js').then(module => module.RestoreDialog));

export function ObjectView({ repository, ref, readOnly }: RepositoryPlace) {
  const place = usePlace();
  const path = place.query['path'] ?? '';
  const [dialog, setDialog] = useState<'info' | 'blame' | 'restore'>();
  const head = useAsync(
    async signal => {
      const { content_type: contentType = '', size_bytes: size = 0 } = await call(
        'statObject',
        { repository, ref, path, user_metadata: false },
        { signal },
      );
      return { contentType, size };
    },
    [repository, ref, path],
  );
  const resolved = useAsync(signal => resolveRef(repository, ref, signal), [repository, ref]);
  const isPast = resolved.state === 'ready' && resolved.value.kind !== 'branch';
  const denied = useDenial('fs:WriteObject');
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return (
    <>
      <div class="toolbar">
        <RefPicker repository={repository} value={ref} label="ref: " onPick={picked => place.vary({ ref: picked })} />
        <span class="spread group one-row">
          <a class="button" href={objectsOf(repository, ref, folder)} title="Folder">
            <Icon name="folder" /> <Wide>Folder</Wide>
          </a>
          <a class="button" href={to('repositories', repository, 'commits', { ref, object: path })} title="History">
            <Icon name="history" /> <Wide>History</Wide>
          </a>
          {isPast && (
            <Button icon="undo" compact off={readOnly ? 'this repository is read-only' : denied} onClick={() => setDialog('restore')}>
              Restore
            </Button>
          )}
          <Button icon="user" compact onClick={() => setDialog('blame')}>
            Blame
          </Button>
          <Button icon="info" compact onClick={() => setDialog('info')}>
            Object Info
          </Button>
          <a class="button" href={objectUrl(repository, ref, path)} download={path.slice(folder.length)} title="Download">
            <Icon name="download" /> <Wide>Download</Wide>
          </a>
        </span>
      </div>
      <With answer={head}>{facts => <Shown object={{ repository, ref, path, ...facts, url: objectUrl(repository, ref, path) }} />}</With>
      {dialog === 'restore' && <RestoreDialog repository={repository} ref_={ref} path={path} onClose={() => setDialog(undefined)} />}
      {(dialog === 'info' || dialog === 'blame') && (
        <RowDialog
          repository={repository}
          ref_={ref}
          path={path}
          isFolder={false}
          action={dialog}
          commitsHref={to('repositories', repository, 'commits', { ref })}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  );
}

function Shown({ object }: { readonly object: ShownObject }) {
  const [chosen, setChosen] = useState<string>();
  const fitting = viewersOf(object);
  const viewer = fitting.find(({ id }) => id === chosen) ?? fitting[0];
  return (
    <section class="card" aria-label={`Content of ${shownName(object.path)}`}>
      <div class="card-head">
        <PathBar repository={object.repository} ref_={object.ref} path={object.path} object />
        <span class="grow" />
        <span class="muted small">
          <Size bytes={object.size} />
          {object.contentType && ` · ${object.contentType}`}
        </span>
        {fitting.length > 1 && (
          <div class="group" role="group" aria-label="Viewer">
            {fitting.map(({ id, title }) => (
              <Button key={id} kind="plain" pressed={id === viewer?.id} onClick={() => setChosen(id)}>
                {title}
              </Button>
            ))}
          </div>
        )}
      </div>
      {viewer ? (
        <Boundary of={`${viewer.id} ${object.url}`}>{viewer.render(object)}</Boundary>
      ) : (
        <Empty icon="file" title="This object is empty">
          <p>It has no bytes.</p>
        </Empty>
      )}
    </section>
  );
}
