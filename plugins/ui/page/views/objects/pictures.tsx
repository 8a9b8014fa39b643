/** The pictures of a folder side by side, and one of them large. */
import { Empty, Icon, Loading, Size, objectUrl, shownName, usePlace } from '@srv/lib-page/page';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isPicture } from '../../../src/model/object-kind.js';
import { useFilteredRows } from './filtered-rows.js';
import { PictureDialog } from './picture-dialog.js';
import type { ListedObject } from './listed-object.js';
import type { ListingProps } from './listing.js';

/** Pictures that are drawn at once; further ones as they come into sight. */
const step = 60;
/** Bytes of a picture that is drawn small. */
const mostBytes = 16 * 1024 * 1024;

export function Pictures(props: ListingProps) {
  const { repository, ref_: ref, folder, pages } = props;
  const place = usePlace();
  const [count, setCount] = useState(step);
  const found = useFilteredRows(props).flatMap(({ item, mark }) => (item && mark !== 'removed' && isPicture(item) ? [item] : []));
  const { picture } = place.query;
  const open = (path: string | undefined): void => place.vary({ picture: path }, { replace: true });
  if (found.length === 0 && pages.state === 'loading') return <Loading />;
  if (found.length === 0 && pages.state !== 'more')
    return (
      <Empty icon="picture" title="No pictures are in this folder">
        <p>PNG, JPEG, GIF, WebP, AVIF and SVG are shown.</p>
      </Empty>
    );
  return (
    <>
      <ul class="pictures">
        {found.slice(0, count).map(item => (
          <li key={item.path}>
            <Tile repository={repository} ref_={ref} item={item} folder={folder} onOpen={() => open(item.path)} />
          </li>
        ))}
      </ul>
      {(count < found.length || pages.state === 'more') && (
        <End
          key={`${count} ${pages.items.length}`}
          onSight={() => {
            if (count < found.length) setCount(count + step);
            else pages.more();
          }}
        />
      )}
      {picture !== undefined && (
        <PictureDialog
          repository={repository}
          ref_={ref}
          path={picture}
          paths={found.map(({ path }) => path)}
          isWhole={pages.state === 'whole'}
          onMore={pages.more}
          onOpen={open}
        />
      )}
    </>
  );
}

interface TileProps {
  readonly repository: string;
  readonly ref_: string;
  readonly item: ListedObject;
  readonly folder: string;
  readonly onOpen: () => void;
}

function Tile({ repository, ref_: ref, item: { path, size_bytes: size = 0 }, folder, onOpen }: TileProps) {
  const name = shownName(path.slice(folder.length));
  return (
    <button type="button" class="tile" title={shownName(path)} onClick={onOpen}>
      {size > mostBytes ? (
        <span class="tile-picture muted">
          <Icon name="picture" /> <Size bytes={size} />
        </span>
      ) : (
        <img class="tile-picture" loading="lazy" decoding="async" src={objectUrl(repository, ref, path)} alt="" />
      )}
      <bdi class="one-line small">{name}</bdi>
    </button>
  );
}

/** Asks for more when it is near. */
function End({ onSight }: { readonly onSight: () => void }) {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(entries => entries.some(({ isIntersecting }) => isIntersecting) && onSight(), {
      rootMargin: '600px',
    });
    if (line.current) observer.observe(line.current);
    return () => observer.disconnect();
  }, []);
  return (
    <p ref={line} class="card-body muted small" role="status">
      Loading more…
    </p>
  );
}
