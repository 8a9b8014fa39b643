/** A proxy that puts a server below a prefix, which it takes off. */
import { ScriptedHttp, passOn } from '@srv/test-servers';

interface PrefixProxy {
  /** With the prefix. */
  readonly url: string;
  close(): Promise<void>;
}

export async function startPrefixProxy(target: string, prefix = '/data/srv'): Promise<PrefixProxy> {
  const proxy = await ScriptedHttp.open((incoming, outgoing) => {
    if (!incoming.url?.startsWith(prefix)) return void outgoing.writeHead(404).end();
    incoming.url = incoming.url.slice(prefix.length);
    passOn(target, incoming, outgoing);
  });
  return { url: proxy.url + prefix, close: () => proxy.close() };
}
