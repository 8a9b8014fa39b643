/** Runs of a DAG on a stand-in for Airflow. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { hookRequest } from '@srv/lib-api/testing';
import { startAirflow } from '@srv/test-servers/airflow';
import { runDag } from '../src/dag-run.js';
import { airflowProperties } from '../src/properties.js';
import type { AirflowServer } from '@srv/test-servers/airflow';

let airflow: AirflowServer;
beforeEach(async () => {
  airflow = await startAirflow();
});
afterEach(() => airflow.close());

const interval = 10;

function request(properties: object = {}) {
  const { url, dagId: dag_id, username, password } = airflow;
  const { value, error } = airflowProperties.validate({ url, dag_id, username, password: '{{ ENV.PASSWORD }}', ...properties });
  if (!value) throw new Error(error?.message);
  return hookRequest({ properties: value, variables: { PASSWORD: password, WRONG: 'another one' } });
}

it('starts a run with the configuration of the file and the event', async () => {
  const { request: sent, printed } = request({ dag_conf: { some: ['thing', 1] } });
  await runDag(sent, interval);
  assert.equal(airflow.received.length, 1);
  const [{ method, url, headers, body } = { method: '', url: '', headers: {}, body: '' }] = airflow.received;
  assert.deepEqual([method, url, headers['content-type']], ['POST', '/api/v1/dags/example_dag/dagRuns', 'application/json']);
  const id = `lakeFS_hook_a-hook_${sent.event.runId}`;
  assert.deepEqual(JSON.parse(body), { dag_run_id: id, conf: { some: ['thing', 1], lakeFS_event: sent.payload } });
  assert.ok(printed().startsWith(`Request:\nPOST ${airflow.url}${url}\nUsername: airflow, Password: *******\nBody: ${body}\n`));
  assert.match(printed(), /Response:\nHTTP\/1.1 200 OK/);
  assert.doesNotMatch(printed(), /a password for tests/);
  await assert.rejects(runDag(sent, interval), { message: 'status code (409): airflow hook request failed' });
});

it('waits for the end of the run', async () => {
  const { request: sent, printed } = request({ wait_for_dag: true });
  await runDag(sent, interval);
  const states = [...printed().matchAll(/DAG completed with state: (\w+)/g)].map(([, state]) => state);
  assert.deepEqual(states, ['queued', 'running', 'success']);
  assert.match(printed(), /Waiting for DAG to complete\.\.\./);
});

it('fails with the run, and when it takes too long', async () => {
  airflow.states('running', 'failed');
  await assert.rejects(runDag(request({ wait_for_dag: true }).request, interval), { message: 'airflow hook DAG failed' });
  airflow.states('running');
  const other = request({ wait_for_dag: true, timeout: '60ms' }).request;
  await assert.rejects(runDag({ ...other, hookId: 'other' }, interval), { message: 'context deadline exceeded' });
});

it('says what Airflow refuses', async () => {
  await assert.rejects(runDag(request({ password: '{{ ENV.WRONG }}' }).request, interval), {
    message: 'status code (401): airflow hook request failed',
  });
  await assert.rejects(runDag(request({ dag_id: 'other' }).request, interval), {
    message: 'status code (404): airflow hook request failed',
  });
  await assert.rejects(runDag(request({ password: '{{ ENV.GONE }}' }).request, interval), {
    message: 'airflow hook password property: GONE not found: missing env var',
  });
  await assert.rejects(runDag(request({ url: 'http://127.0.0.1:1' }).request, interval), /^Error: failed executing airflow request: Post /);
});

it('properties are checked as existing files rely on', () => {
  const full = { url: 'u', dag_id: 'd', username: 'n', password: 'p' };
  const problem = (changes: object): string | undefined => airflowProperties.validate({ ...full, ...changes }).error?.message;
  assert.equal(problem({}), undefined);
  for (const key of Object.keys(full)) assert.equal(problem({ [key]: undefined }), `'${key}' must be supplied in properties`);
  assert.equal(problem({ dag_id: 1 }), 'airflow hook DAG ID property: value of dag_id is not of type string: wrong value type');
  assert.equal(problem({ url: '' }), 'airflow hook url property: value of url is empty: missing key in properties');
  assert.match(problem({ url: 'file:///etc/passwd' }) ?? '', /^url: "file:\/\/\/etc\/passwd" is not an HTTP address/);
  assert.equal(problem({ dag_conf: 'x' }), 'airflow hook conf is not of type Properties: wrong value type');
  assert.match(problem({ timeout: 'soon' }) ?? '', /"soon" is not a duration/);
  assert.equal(problem({ timeout: 5, wait_for_dag: 'yes' }), undefined);
  assert.equal(airflowProperties.validate({ ...full, wait_for_dag: 'yes' }).value?.waitForDag, false);
});
