/** The home folder of the user who runs the program. */
import { homedir } from 'node:os';
import { SrvError } from './errors.js';

/** @throws SrvError `config` where the system knows none. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch (cause) {
    throw new SrvError('config', 'HOME is not set, and the system knows no home folder of this user: set HOME', { cause });
  }
}
