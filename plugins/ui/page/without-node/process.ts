/** What modules of commands ask of the process: a browser has no environment, no arguments and no standard input. */
import { absent } from './absent.js';

const process = {
  argv: [] as readonly string[],
  env: {} as Readonly<Record<string, string | undefined>>,
  execArgv: [] as readonly string[],
  platform: 'browser',
  versions: {},
  stdout: { columns: 100, isTTY: false, hasColors: () => false },
  stderr: { columns: 100, isTTY: false, hasColors: () => false },
  get stdin(): object {
    return absent('standard input');
  },
  on(): void {},
};

export const { argv, env, execArgv, platform, stdout, stderr, versions } = process;
export default process;
