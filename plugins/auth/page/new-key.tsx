/** A new access key, to be saved by the user: it is shown once, and stored nowhere. */
import { Copy, Icon } from '@srv/lib-page/page';
import './style.css';
import type { ComponentChildren } from 'preact';

export interface AccessKey {
  readonly access_key_id: string;
  readonly secret_access_key: string;
}

interface NewKeyProps {
  readonly made: AccessKey;
  /** Beside the link that downloads the key. */
  readonly children?: ComponentChildren;
}

export function NewKey({ made: { access_key_id: id, secret_access_key: secret }, children }: NewKeyProps) {
  const file = `credentials:\n  access_key_id: ${id}\n  secret_access_key: ${secret}\nserver:\n  endpoint_url: ${new URL('api/v1', document.baseURI).href}\n`;
  return (
    <>
      <Secret label="Access Key ID" value={id} what="access key id" />
      <Secret label="Secret Access Key" value={secret} what="secret" />
      <div class="group">
        <a class="button" download="cli.yaml" href={`data:text/yaml;charset=utf-8,${encodeURIComponent(file)}`}>
          <Icon name="download" /> Download credentials
        </a>
        {children}
      </div>
    </>
  );
}

function Secret({ label, value, what }: { readonly label: string; readonly value: string; readonly what: string }) {
  return (
    <div class="field">
      <span class="label">{label}</span>
      <div class="secret">
        <code>{value}</code>
        <Copy text={value} what={what} />
      </div>
    </div>
  );
}
