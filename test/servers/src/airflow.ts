/** A stand-in for Airflow 2: its REST interface as far as runs of DAGs are concerned. */

import { startWebhookReceiver } from './webhook-receiver.js';
import type { ServerResponse } from 'node:http';
import type { ReceivedEvent } from './webhook-receiver.js';

export interface AirflowServer {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** The one DAG that is there. */
  readonly dagId: string;
  readonly received: readonly ReceivedEvent[];
  /** States that a run goes through, one per request; the last one stays. Initially: `queued`, `running`, `success`. */
  states(...states: readonly string[]): void;
  close(): Promise<void>;
}

interface DagRun {
  readonly conf: unknown;
  looks: number;
}

export async function startAirflow(): Promise<AirflowServer> {
  const [username, password, dagId] = ['airflow', 'a password for tests', 'example_dag'];
  const receiver = await startWebhookReceiver();
  const runs = new Map<string, DagRun>();
  let states: readonly string[] = ['queued', 'running', 'success'];
  const path = `/api/v1/dags/${dagId}/dagRuns`;
  receiver.answer((event, response) => {
    const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    if (event.headers.authorization !== basic) return answer(response, 401, { title: 'Unauthorized', status: 401 });
    const { pathname } = new URL(event.url, 'http://airflow');
    if (pathname === path && event.method === 'POST') return create(runs, event, response);
    const id = decodeURIComponent(pathname.slice(path.length + 1));
    const run = pathname.startsWith(`${path}/`) && event.method === 'GET' ? runs.get(id) : undefined;
    if (!run) return answer(response, 404, { title: 'DAGRun not found', status: 404 });
    const state = states[Math.min(run.looks++, states.length - 1)];
    answer(response, 200, { dag_run_id: id, dag_id: dagId, state, conf: run.conf, start_date: null, end_date: null });
  });
  return {
    url: receiver.url,
    username,
    password,
    dagId,
    received: receiver.received,
    states(...wanted) {
      states = wanted;
    },
    close: () => receiver.close(),
  };
}

function create(runs: Map<string, DagRun>, { body }: ReceivedEvent, response: ServerResponse): void {
  const { dag_run_id: id, conf } = JSON.parse(body) as { readonly dag_run_id: string; readonly conf: unknown };
  if (runs.has(id)) {
    answer(response, 409, { title: 'Conflict', status: 409, detail: `DAGRun ${id} already exists` });
    return;
  }
  runs.set(id, { conf, looks: 0 });
  answer(response, 200, { dag_run_id: id, state: 'queued', conf });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
