/** Pages of the operator that show objects. Each stands in a frame of its own origin, and gets the object when it asks. */

import { messageOf, notify, session, viewers } from '@srv/lib-page/page';
import { useEffect, useRef } from 'preact/hooks';
import { chosenFor } from '../../../src/model/custom-viewer.js';
import { readHead } from '../../core/content.js';
import type { ShownObject, Viewer } from '@srv/lib-page/page';
import type { CustomViewer } from '../../../src/model/custom-viewer.js';

/** Before those of the page. */
const first = 20;
/** Bytes that a viewer gets at most. */
const most = 64 * 2 ** 20;

/** All viewers there are, those of the operator among them. */
export function allViewers(): readonly Viewer[] {
  const own = session.value.state === 'in' ? (session.value.config.ui_config?.custom_viewers ?? []) : [];
  return [...viewers.value, ...own.map(asViewer)];
}

function asViewer(viewer: CustomViewer): Viewer {
  return {
    id: `custom:${viewer.name}`,
    title: viewer.name,
    fits: object => (chosenFor(viewer, object) ? first : 0),
    render: object => <CustomView key={`${viewer.name} ${object.url}`} viewer={viewer} object={object} />,
  };
}

function CustomView({ viewer, object }: { readonly viewer: CustomViewer; readonly object: ShownObject }) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const controller = new AbortController();
    const answer = async (): Promise<void> => {
      const { bytes, cut } = await readHead(object, most, controller.signal);
      const { repository, ref, path, contentType, size } = object;
      const content = bytes.slice().buffer;
      // The frame has no origin that could be named; that it is the one that asked is known.
      frame.current?.contentWindow?.postMessage({ type: 'srv:object', repository, ref, path, contentType, size, content, cut }, '*', [
        content,
      ]);
    };
    const listen = ({ source, data }: MessageEvent<unknown>): void => {
      if (source !== frame.current?.contentWindow || !isRequest(data)) return;
      answer().catch((error: unknown) => {
        if (!controller.signal.aborted) notify(messageOf(error), 'failed');
      });
    };
    addEventListener('message', listen);
    return () => {
      removeEventListener('message', listen);
      controller.abort();
    };
  }, []);
  const address = new URL(viewer.url.startsWith('/') ? viewer.url.slice(1) : viewer.url, document.baseURI);
  return <iframe ref={frame} class="frame" title={viewer.name} sandbox="allow-scripts" referrerpolicy="no-referrer" src={address.href} />;
}

function isRequest(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'type' in data && data.type === 'srv:ready';
}
