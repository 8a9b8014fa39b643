/** The Python clients of the Hub: the newest one, and an old one beside it. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPython } from '@srv/test-servers/python';
import { token } from './server.js';
import type { HubServer } from './server.js';

export const oldVersion = '0.36.2';
const python = findPython('huggingface_hub');
const oldFolder = python === undefined ? '' : join(dirname(dirname(python)), `huggingface_hub-${oldVersion}`);

/** For the option `skip` of a test. */
export const needsHub = python === undefined ? 'needs huggingface_hub' : false;
export const needsOldHub = existsSync(oldFolder)
  ? false
  : `needs huggingface_hub ${oldVersion}, installed by pip --target beside the newest one`;

/** Makes a script use the old client. */
export const withOldHub = { PYTHONPATH: oldFolder, HUB_VERSION: oldVersion };

export interface PythonProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A script of `clients`, which knows the server. @param more variables. */
export function pythonProgram(
  server: HubServer,
  [script, ...args]: readonly [string, ...string[]],
  more: Readonly<Record<string, string>> = {},
): PythonProgram {
  const home = join(server.home, 'hf-home');
  mkdirSync(home, { recursive: true });
  return {
    file: python ?? '',
    args: [fileURLToPath(new URL(`../../../test/clients/${script}`, import.meta.url)), ...args],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      TMPDIR: home,
      HF_HOME: home,
      HF_ENDPOINT: `${server.url}/hf`,
      HF_TOKEN: token,
      HF_HUB_DISABLE_TELEMETRY: '1',
      HF_HUB_DISABLE_UPDATE_CHECK: '1',
      HF_HUB_DISABLE_PROGRESS_BARS: '1',
      PYTHONDONTWRITEBYTECODE: '1',
      ...more,
    },
  };
}
