/** Clients of others do a first day's work: published packages, one generated from our document, and one that searches for faults. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findPython, runPython } from '@srv/test-servers/python';
import { runScript } from './support/python.js';
import { adminKey } from './support/server.js';
import { startWholeServer } from './support/whole-server.js';
import type { WholeServer } from './support/whole-server.js';

const { accessKeyId, secretAccessKey } = adminKey;
/** The reason to skip, or false. */
const needs = (python: string | undefined, what: string): string | false =>
  python === undefined ? `needs ${what} (see SRV_TEST_PYTHON)` : false;

describe('clients of others', () => {
  let server: WholeServer;
  before(async () => {
    server = await startWholeServer();
  });
  after(() => server.stop());

  async function saveDocument(): Promise<string> {
    const file = join(server.folder, 'openapi.json');
    await writeFile(file, await (await fetch(`${server.url}/openapi.json`)).text());
    return file;
  }

  const packages = findPython('lakefs', 'lakefs_sdk');
  it('the Python packages lakefs and lakefs-sdk', { skip: needs(packages, 'Python with lakefs and lakefs-sdk') }, async () => {
    const told = await runScript(packages ?? '', 'first_run.py', server.url, accessKeyId, secretAccessKey, 'local://pylakes');
    assert.match(told, /done/);
  });

  const generator = findPython('openapi_python_client');
  it('a client generated from the served document', { skip: needs(generator, 'Python with openapi-python-client') }, async () => {
    const target = join(server.folder, 'client');
    const config = join(server.folder, 'generator.json');
    await writeFile(config, JSON.stringify({ post_hooks: [] }));
    const args = ['generate', '--path', await saveDocument(), '--output-path', target, '--config', config];
    const said = await runPython(generator ?? '', ['-m', 'openapi_python_client', ...args], server.folder);
    assert.doesNotMatch(said, /WARNING|ERROR/);
    const told = await runScript(
      generator ?? '',
      'generated_client.py',
      target,
      server.url,
      accessKeyId,
      secretAccessKey,
      'local://genlakes',
    );
    assert.match(told, /done/);
  });

  const searcher = findPython('schemathesis');
  it('schemathesis finds no fault of the server', { skip: needs(searcher, 'Python with schemathesis') }, async () => {
    // Not implemented is an honest answer of a server without the part that would do it.
    const settings = join(server.folder, 'schemathesis.toml');
    await writeFile(settings, '[checks.not_a_server_error]\nexpected-statuses = ["2xx", "3xx", "4xx", 501]\n');
    const checks = 'not_a_server_error,content_type_conformance,status_code_conformance,response_schema_conformance';
    const told = await runPython(
      searcher ?? '',
      [
        '-m',
        'schemathesis.cli',
        '--config-file',
        settings,
        'run',
        await saveDocument(),
        '--url',
        `${server.url}/api/v1`,
        '--checks',
        checks,
        '--phases',
        'examples,coverage,fuzzing',
        '--max-examples',
        '5',
        '--auth',
        `${accessKeyId}:${secretAccessKey}`,
        '--seed',
        '1',
        '--no-color',
        '--exclude-operation-id',
        'deleteUser',
        // A repository that moves answers 503.
        '--exclude-operation-id',
        'startStorageMove',
      ],
      server.folder,
    );
    assert.match(told, /passed|No issues found/i);
  });
});
