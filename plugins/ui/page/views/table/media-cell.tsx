/** A cell that is a picture or sound. */
import { Icon, objectUrl, useAsync } from '@srv/lib-page/page';
import { useMemo } from 'preact/hooks';
import { mediaIn } from '../../../src/model/media-bytes.js';
import { useBlobUrl } from '../../parts/blob-url.js';
import type { CellMedia } from '../../../src/model/cell-media.js';

interface MediaCellProps {
  readonly media: CellMedia;
  /** Characters of the cell, which has the bytes. */
  readonly length: number;
  /** All of the cell. */
  readonly load: () => Promise<string | null | undefined>;
  /** The cell, for people. */
  readonly name: string;
  readonly onOpen: () => void;
}

/** Characters of a cell whose picture is drawn without being asked for. */
const mostText = 4 * 1024 * 1024;

export function MediaCell({ media, length, load, name, onOpen }: MediaCellProps) {
  const { kind, object } = media;
  return (
    <button type="button" class="media-cell" aria-label={`${kind === 'picture' ? 'Show picture' : 'Play'}: ${name}`} onClick={onOpen}>
      {kind === 'sound' ? (
        <>
          <Icon name="play" /> Play
        </>
      ) : object ? (
        <img src={objectUrl(object.repository, object.ref, object.path)} alt="" loading="lazy" decoding="async" />
      ) : length > mostText ? (
        <Icon name="picture" />
      ) : (
        <OwnPicture load={load} name={name} />
      )}
    </button>
  );
}

const nothing = new Uint8Array();

function OwnPicture({ load, name }: Pick<MediaCellProps, 'load' | 'name'>) {
  const text = useAsync(load, [name]);
  const found = useMemo(() => (text.state === 'ready' ? mediaIn(text.value ?? '') : undefined), [text.state]);
  const url = useBlobUrl(found?.bytes ?? nothing, found?.type ?? 'image/png');
  return found && url !== undefined ? <img src={url} alt="" decoding="async" /> : <Icon name="picture" />;
}
