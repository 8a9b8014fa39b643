/** What can be done with a row of a listing. */
import { Menu, call, copyText, messageOf, notify, objectUrl, storage, to, useDenial } from '@srv/lib-page/page';
import type { MenuItem } from '@srv/lib-page/page';
import type { Row } from '../../../src/model/overlay.js';
import type { ListedObject } from './listed-object.js';

export type RowAction = 'info' | 'blame' | 'delete' | 'size';

interface RowMenuProps {
  readonly repository: string;
  readonly ref_: string;
  readonly row: Row<ListedObject>;
  readonly name: string;
  readonly off: string | undefined;
  readonly isBranch: boolean;
  readonly onAct: (action: RowAction) => void;
}

export function RowMenu({ repository, ref_: ref, row: { path, path_type: kind }, name, off, isBranch, onAct }: RowMenuProps) {
  const denied = useDenial('fs:DeleteObject');
  const isFolder = kind === 'common_prefix';
  const items = (): readonly MenuItem[] => [
    ...(isFolder
      ? [{ text: 'Calculate Size', icon: 'chart' as const, act: () => onAct('size') }]
      : [
          { text: 'Object Info', icon: 'info' as const, act: () => onAct('info') },
          {
            text: 'Download',
            icon: 'download' as const,
            href: objectUrl(repository, ref, path),
            download: path.slice(path.lastIndexOf('/') + 1),
          },
          ...(storage(repository)?.pre_sign_support
            ? [{ text: 'Copy Presigned URL', icon: 'link' as const, act: () => copyPresigned(repository, ref, path) }]
            : []),
        ]),
    { text: 'Blame', icon: 'user', act: () => onAct('blame') },
    { text: 'History', icon: 'history', href: to('repositories', repository, 'commits', { ref, [isFolder ? 'prefix' : 'object']: path }) },
    { text: 'Copy URI', icon: 'copy', act: () => copyText(`srv://${repository}/${ref}/${path}`, 'URI') },
    'line',
    {
      text: isFolder ? 'Delete folder' : 'Delete',
      icon: 'trash',
      danger: true,
      off: isBranch ? (off ?? denied) : 'only branches can be changed',
      act: () => onAct('delete'),
    },
  ];
  return <Menu kind="plain" icon="more" label={`Actions for ${name}`} items={items} />;
}

/** The text comes later than the click; some browsers allow that only to a promise that the click made. */
function copyPresigned(repository: string, ref: string, path: string): void {
  const text = call('statObject', { repository, ref, path, presign: true, user_metadata: false }).then(
    ({ physical_address }) => new Blob([physical_address], { type: 'text/plain' }),
  );
  navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]).then(
    () => notify('Copied presigned URL'),
    (error: unknown) => notify(messageOf(error), 'failed'),
  );
}
