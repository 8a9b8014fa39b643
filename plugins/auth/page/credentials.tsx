/** Access keys of a user. A secret is shown once, and kept nowhere. */

import {
  Alert,
  Button,
  Confirm,
  Copy,
  Dialog,
  Empty,
  FormDialog,
  Icon,
  ListPage,
  PagedRows,
  Time,
  ask,
  notify,
  shownName,
  useDenial,
  usePages,
} from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { userResource } from './model/resource.js';
import { NewKey } from './new-key.js';
import { list } from './shapes.js';
import type { AccessKey } from './new-key.js';
import type { Credential } from './shapes.js';

export function Credentials({ user, own = false }: { readonly user: string; readonly own?: boolean }) {
  const pages = usePages((after, signal) => list<Credential>('listUserCredentials', { userId: user }, after, signal), [user]);
  const mayNotCreate = useDenial('auth:CreateCredentials', userResource(user));
  const mayNotRevoke = useDenial('auth:DeleteCredentials', userResource(user));
  const [dialog, setDialog] = useState<'create' | { remove: string } | { made: AccessKey }>();
  /** After a failure, too: only the answer may have been lost. */
  const changing = <T,>(change: Promise<T>): Promise<T> => change.finally(pages.reload);
  return (
    <ListPage>
      <div class="toolbar">
        <h2>{own ? 'My Credentials' : 'Credentials'}</h2>
        <span class="spread">
          <Button kind="primary" icon="plus" off={mayNotCreate} onClick={() => setDialog('create')}>
            Create Access Key
          </Button>
        </span>
      </div>
      <div class="card">
        <PagedRows
          label="Access keys"
          pages={pages}
          items={pages.items}
          height={38}
          empty={<Empty icon="lock" title="No access keys" />}
          row={({ access_key_id: id, creation_date: created }) => (
            <div class="row key-row" role="row" key={id}>
              <span role="cell" class="cell-name">
                <Icon name="lock" />
                <code class="name">{id}</code>
                <Copy text={id} what="access key id" />
              </span>
              <span role="cell" class="muted">
                <Time seconds={created} />
              </span>
              <span role="cell">
                <Button kind="plain" icon="trash" label={`Revoke ${id}`} off={mayNotRevoke} onClick={() => setDialog({ remove: id })} />
              </span>
            </div>
          )}
        />
      </div>
      {dialog === 'create' && (
        <FormDialog
          title="Create Access Key"
          action="Create"
          onClose={() => setDialog(undefined)}
          onSubmit={async () => {
            const made = await changing(ask('createCredentials', { userId: user }));
            setDialog({ made: made as AccessKey });
          }}
        >
          <p>
            A new access key for <strong>{shownName(user)}</strong>, beside those that exist.
          </p>
        </FormDialog>
      )}
      {typeof dialog === 'object' && 'made' in dialog && <Made made={dialog.made} onClose={() => setDialog(undefined)} />}
      {typeof dialog === 'object' && 'remove' in dialog && (
        <Confirm
          title="Revoke access key"
          action="Yes, revoke"
          onClose={() => setDialog(undefined)}
          onConfirm={async () => {
            await changing(ask('deleteCredentials', { userId: user, accessKeyId: dialog.remove }));
            notify('Revoked');
            setDialog(undefined);
          }}
        >
          <p>
            Clients that use <code>{dialog.remove}</code> are refused from now on. Revoking the last key locks {own ? 'you' : 'the user'}{' '}
            out.
          </p>
        </Confirm>
      )}
    </ListPage>
  );
}

function Made({ made, onClose }: { readonly made: AccessKey; readonly onClose: () => void }) {
  return (
    <Dialog
      title="Access key"
      onClose={onClose}
      foot={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <Alert kind="note">The secret is shown only now. Keep it where secrets belong.</Alert>
      <NewKey made={made} />
    </Dialog>
  );
}
