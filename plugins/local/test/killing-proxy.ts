/** Stands before a server and kills a client at a chosen request. */
import { request } from 'node:http';
import { ScriptedHttp } from '@srv/test-servers';

export interface KillingProxy {
  readonly url: string;
  /** Kills once, then not until it is called again. */
  aim(target: Aim, kill: () => void): void;
  close(): Promise<void>;
}

export interface Aim {
  /** Of `METHOD /path`. */
  readonly request: RegExp;
  /** Which of those, from 1. */
  readonly number: number;
  /** Before the server learns of it, or after it has answered and before the client learns of that. */
  readonly when: 'before' | 'after';
}

export async function startKillingProxy(target: string): Promise<KillingProxy> {
  let aimed: { target: Aim; kill: () => void; left: number } | undefined;
  const server = await ScriptedHttp.open((incoming, outgoing) => {
    const matches = aimed?.target.request.test(`${incoming.method} ${incoming.url?.split('?')[0]}`) === true;
    const hit = matches && aimed && --aimed.left === 0 ? aimed : undefined;
    if (hit?.target.when === 'before') return hit.kill();
    const passed = request(new URL(incoming.url ?? '/', target), { method: incoming.method, headers: incoming.headers }, answer => {
      if (hit) {
        answer.resume().on('end', hit.kill);
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('error', () => {});
    incoming.on('error', () => passed.destroy()).pipe(passed);
  });
  return {
    url: server.url,
    aim: (target, kill) => {
      aimed = { target, kill, left: target.number };
    },
    close: () => server.close(),
  };
}
