/** Starts a run of a DAG by the REST interface of Airflow 2 and follows its state (actions sheet, section 7). */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, withoutPassword } from '@srv/kernel';
import { receiverJson } from '@srv/lib-api/hook-types';
import { sendRequest } from '@srv/lib-api/hook-types/exchange';
import type { HookRequest } from '@srv/lib-api/hook-types';
import type { ReceivedResponse } from '@srv/lib-api/hook-types/exchange';
import type { AirflowProperties } from './properties.js';

/** Milliseconds of one request, and between two polls of the state. */
const requestTimeout = 5000;
export const pollInterval = 5000;

/** @param interval milliseconds between two polls of the state. @throws Error when Airflow refuses, or the run fails or takes too long. */
export async function runDag(request: HookRequest<AirflowProperties>, interval = pollInterval): Promise<void> {
  const { properties, payload, hookId, event, log } = request;
  const runId = `lakeFS_hook_${hookId}_${event.runId}`;
  const headers = headersOf(request);
  const url = addressOf(properties.url, `/api/v1/dags/${encodeURIComponent(properties.dagId)}/dagRuns`);
  const body = receiverJson({ dag_run_id: runId, conf: { ...properties.dagConf, lakeFS_event: payload } });
  log(`Request:\nPOST ${shown(url)}\nUsername: ${properties.username}, Password: *******\nBody: ${body}\n\n`);
  const answer = await sent(sendRequest({ method: 'POST', url, headers, body, timeout: requestTimeout }, request));
  refuseUnless200(answer);
  if (!properties.waitForDag) return;
  log('\nWaiting for DAG to complete...\n');
  const state = addressOf(properties.url, `/api/v1/dags/${encodeURIComponent(properties.dagId)}/dagRuns/${encodeURIComponent(runId)}`);
  await wait(request, state, headers, interval);
}

async function wait(
  request: HookRequest<AirflowProperties>,
  url: URL,
  headers: Readonly<Record<string, string>>,
  interval: number,
): Promise<void> {
  const { log, signal, properties } = request;
  const deadline = Date.now() + properties.timeout;
  for (;;) {
    const left = deadline - Date.now();
    await sleep(Math.max(0, Math.min(interval, left)), undefined, { signal });
    if (left <= interval) throw new Error('context deadline exceeded');
    log(`Request:\nGET ${shown(url)}\n\n`);
    const answer = await sent(sendRequest({ method: 'GET', url, headers, timeout: requestTimeout }, request));
    refuseUnless200(answer);
    const state = stateOf(answer.body);
    log(`DAG completed with state: ${state}\n`);
    if (state === 'success') return;
    if (state === 'failed') throw new Error('airflow hook DAG failed');
  }
}

async function sent(answer: Promise<ReceivedResponse>): Promise<ReceivedResponse> {
  try {
    return await answer;
  } catch (error) {
    throw new Error(`failed executing airflow request: ${messageOf(error)}`, { cause: error });
  }
}

function refuseUnless200({ status }: ReceivedResponse): void {
  if (status !== 200) throw new Error(`status code (${status}): airflow hook request failed`);
}

function headersOf({ properties, env }: HookRequest<AirflowProperties>): Readonly<Record<string, string>> {
  let password: string;
  try {
    password = env.fill(properties.password).text;
  } catch (error) {
    throw new Error(`airflow hook password property: ${messageOf(error)}`, { cause: error });
  }
  const basic = Buffer.from(`${properties.username}:${password}`).toString('base64');
  return { Authorization: `Basic ${basic}`, 'Content-Type': 'application/json' };
}

/** The path comes after the one of the base address, whose query stays. */
function addressOf(base: string, path: string): URL {
  if (!URL.canParse(base))
    throw new Error(`${JSON.stringify(withoutPassword(base))} is not a URL; write it with its scheme, such as https://airflow.example.com`);
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
  return url;
}

/** Without what may be secret. */
function shown({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

function stateOf(body: Buffer): string {
  let found: unknown;
  try {
    found = JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new Error(`airflow answered no JSON: ${messageOf(error)}`, { cause: error });
  }
  const state = typeof found === 'object' && found !== null && 'state' in found ? found.state : undefined;
  return typeof state === 'string' ? state : '';
}
