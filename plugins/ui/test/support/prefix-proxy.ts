/** A proxy that puts a server below a prefix, which it takes off. */
import { createServer, request } from 'node:http';

interface PrefixProxy {
  /** With the prefix. */
  readonly url: string;
  close(): void;
}

export async function startPrefixProxy(target: string, prefix = '/data/srv'): Promise<PrefixProxy> {
  const proxy = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming;
    if (!url.startsWith(prefix)) return void outgoing.writeHead(404).end();
    const onward = request(target + url.slice(prefix.length), { method, headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}${prefix}`,
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
