/** Something that receives statistics, and remembers them. */
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ScriptedHttp } from '@srv/test-servers';
import type { Metric } from '../src/server/event-counts.js';

interface Post {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Receiver {
  readonly url: string;
  readonly posts: readonly Post[];
  /** Values of all metrics posted so far, by class and name. */
  totals(): Record<string, number>;
  metrics(): readonly Metric[];
  /** Waits until what was posted meets `condition`. */
  until(condition: () => boolean): Promise<void>;
  close(): Promise<void>;
}

/** @param statuses of the first answers; all further ones are 200. */
export async function startReceiver(statuses: number[] = []): Promise<Receiver> {
  const posts: Post[] = [];
  const server = await ScriptedHttp.open((request, response) => {
    void json(request).then(body => {
      const status = statuses.shift() ?? 200;
      if (status < 300) posts.push({ path: request.url ?? '', body: body as Post['body'] });
      response.writeHead(status).end();
    });
  });
  const metrics = (): Metric[] => posts.filter(({ path }) => path === '/events').flatMap(({ body }) => body['metrics'] as Metric[]);
  return {
    url: server.url,
    posts,
    metrics,
    totals() {
      const totals: Record<string, number> = {};
      for (const { class: group, name, value } of metrics()) totals[`${group}/${name}`] = (totals[`${group}/${name}`] ?? 0) + value;
      return totals;
    },
    async until(condition) {
      while (!condition()) await sleep(10);
    },
    close: () => server.close(),
  };
}
