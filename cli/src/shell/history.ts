/** Lines of earlier sessions, kept in a file. */
import { join } from 'node:path';
import type { REPLServer } from 'node:repl';
import type { CommandContext } from '@srv/lib-commands';

/** Lines that may contain a secret, such as `config --secret-access-key …`, are not kept: a file outlives the terminal. */
const sensitive = /secret|password|token/i;

/** `~/.cli_history`, readable by its owner; `CLI_HISTORY` names another file, and empty means none. */
export async function keepHistory(server: REPLServer, { env, home, tell }: Pick<CommandContext, 'env' | 'home' | 'tell'>): Promise<void> {
  server.on('history', (lines: string[]) => {
    if (lines[0] !== undefined && sensitive.test(lines[0])) lines.shift();
  });
  const file = env.CLI_HISTORY ?? join(home, '.cli_history');
  if (file === '') return;
  await new Promise<void>(resolve => {
    server.setupHistory(file, error => {
      if (error) tell(`history is not kept: ${error.message}`);
      resolve();
    });
  });
}
