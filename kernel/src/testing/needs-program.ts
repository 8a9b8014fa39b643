/** Programs that a test starts and that not every machine has. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Why a test is skipped, for its option `skip`: the programs that are not on the path; `false`: all are there. */
export function needsProgram(...names: readonly string[]): string | false {
  const missing = names.filter(name => !isOnPath(name));
  return missing.length > 0 && `needs ${missing.join(', ')}`;
}

function isOnPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some(folder => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
