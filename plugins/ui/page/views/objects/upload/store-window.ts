/**
 * A window that may connect to the object store of a repository. The page itself may connect to its own server only; the
 * empty document of such a window comes with a policy that allows one more origin, and nothing but connections.
 */
import { messageIn } from '@srv/lib-page/page';
import type { RequestMaker } from '../../../core/send-body.js';

interface StoreAccess {
  readonly repository: string;
  /** Of the store. */
  readonly origin: string;
}

const opened = new Map<string, Promise<RequestMaker>>();

/** @throws Error when the server does not know the origin as that of the repository's store. */
export function storeWindow({ repository, origin }: StoreAccess): Promise<RequestMaker> {
  const address = new URL('store-access', document.baseURI);
  address.searchParams.set('repository', repository);
  address.searchParams.set('origin', origin);
  const known = opened.get(address.href);
  if (known) return known;
  const opening = open(address).catch((error: unknown) => {
    opened.delete(address.href);
    throw error;
  });
  opened.set(address.href, opening);
  return opening;
}

async function open(address: URL): Promise<RequestMaker> {
  // A frame does not show whether its document is the one that was asked for.
  const found = await fetch(address, { headers: { accept: 'text/html' } });
  const text = await found.text();
  if (!found.ok) throw new Error(messageIn(text).message || `status ${found.status}`);
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.title = 'Connection to the object store';
  frame.tabIndex = -1;
  frame.src = address.href;
  const loaded = new Promise(resolve => frame.addEventListener('load', resolve, { once: true }));
  document.body.append(frame);
  await loaded;
  const { contentWindow } = frame;
  if (!contentWindow || !canRequest(contentWindow)) throw new Error('The browser opened no connection to the object store.');
  return contentWindow;
}

function canRequest(window: Window): window is Window & RequestMaker {
  return 'XMLHttpRequest' in window;
}
