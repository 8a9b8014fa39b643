/** An installation described by a configuration file: its database, and objects that another one may share. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@srv/engine/client';
import { workspaceOperations } from './feature-operations.js';
import { RunningProcess } from './processes.js';
import { cliProgram, launchSrv, untilUp } from './programs.js';
import type { Client } from '@srv/engine/client';
import type { Finished } from './processes.js';

const key = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'the-secret-of-the-first-administrator' };

interface InstallationOptions {
  /** Folder of its own: configuration, caches. */
  readonly folder: string;
  /** Section `database`, as YAML. */
  readonly database: string;
  /** Folder of the objects. */
  readonly objects: string;
}

export class Installation {
  readonly #folder: string;
  #process: RunningProcess | undefined;
  #url = '';

  constructor({ folder, database, objects }: InstallationOptions) {
    this.#folder = folder;
    writeFileSync(
      join(folder, 'srv.yaml'),
      [
        'listen_address: 127.0.0.1:0',
        `database: ${database}`,
        `blockstore: {type: local, signing: {secret_key: signing}, local: {path: ${objects}}}`,
        'auth: {encrypt: {secret_key: secret-of-both}, ui_config: {rbac: internal}}',
        // Both programs must find each other's tables.
        `committed: {block_storage_prefix: _lakefs, local_cache: {dir: ${folder}/cache}}`,
      ].join('\n'),
    );
  }

  /** A command of `srv`, which must succeed. */
  async srv(...args: string[]): Promise<Finished> {
    const finished = await launchSrv(this.#folder, [...args, '-c', join(this.#folder, 'srv.yaml')]).finished;
    assert.equal(finished.code, 0, `srv ${args.join(' ')}: ${finished.stderr}${finished.stdout}`);
    return finished;
  }

  async setUp(): Promise<void> {
    await this.srv('setup', '--user-name', 'ann', '--access-key-id', key.accessKeyId, '--secret-access-key', key.secretAccessKey);
  }

  async start(): Promise<Client> {
    this.#process = launchSrv(this.#folder, ['run', '-c', join(this.#folder, 'srv.yaml')]);
    this.#url = await untilUp(this.#process);
    return createClient({ operations: workspaceOperations, endpointUrl: this.#url, ...key, retries: { enabled: false } });
  }

  async stop(): Promise<void> {
    const { code, stderr } = (await this.#process?.end('SIGINT')) ?? { code: 0, stderr: '' };
    this.#process = undefined;
    assert.equal(code, 0, stderr);
  }

  /** A command of `cli` against the running server, which must succeed. @returns standard output. */
  async cli(...args: string[]): Promise<string> {
    const env = {
      HOME: this.#folder,
      CLI_SERVER_ENDPOINT_URL: this.#url,
      CLI_CREDENTIALS_ACCESS_KEY_ID: key.accessKeyId,
      CLI_CREDENTIALS_SECRET_ACCESS_KEY: key.secretAccessKey,
    };
    const { code, stdout, stderr } = await new RunningProcess(cliProgram, args, { cwd: this.#folder, env }).finished;
    assert.equal(code, 0, `cli ${args.join(' ')}: ${stderr}`);
    return stdout;
  }
}
