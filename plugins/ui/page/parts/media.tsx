/** A picture, sound or video of an address, or that the browser cannot show it. */
import { Empty } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';

interface MediaProps {
  readonly kind: 'picture' | 'sound' | 'video';
  readonly url: string;
  /** For those who cannot see it. */
  readonly title: string;
}

export function Media(props: MediaProps) {
  const [failed, setFailed] = useState<string>();
  if (failed !== props.url) return <Playing {...props} onError={() => setFailed(props.url)} />;
  return (
    <Empty icon="file" title={`This ${props.kind} cannot be shown`}>
      <p>It is damaged, stored with the type of something else, or of a format that this browser does not know. Download it instead.</p>
    </Empty>
  );
}

function Playing({ kind, url, title, onError }: MediaProps & { readonly onError: () => void }) {
  if (kind === 'sound') return <audio controls preload="metadata" src={url} aria-label={title} onError={onError} />;
  if (kind === 'video') return <video controls preload="metadata" src={url} aria-label={title} onError={onError} />;
  // Scripts of an SVG never run in an <img>.
  return <img key={url} src={url} alt={title} onError={onError} />;
}
