import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { scratchFolder, until } from '@srv/kernel/testing';
import { markedInterruption } from '../src/shell/interruptions.js';
import { serveShells } from '../src/srv/attach/shells.js';
import type { Kernel } from '@srv/kernel';

it('a server whose socket for srv repl cannot be made logs why, and knows errors of what was interrupted there', async () => {
  const path = join(scratchFolder(), 'metadata');
  // In the place of the socket, and no program removes it as one that a killed server left.
  mkdirSync(`${path}.repl`);
  const warnings: string[] = [];
  const settings = { 'database.type': 'local', 'database.local.path': path };
  const kernel = {
    config: { show: () => Object.entries(settings).map(([key, value]) => ({ key, value })) },
    log: {
      warn: (facts: { readonly path: string; readonly error: string }, text: string) => void warnings.push(`${text}: ${facts.error}`),
    },
  };
  const shells = serveShells(kernel as unknown as Kernel);
  await until(() => warnings.length > 0);
  assert.match(warnings[0] ?? '', /^srv repl cannot attach to this server: /);
  assert.equal(shells.takes(new Error('of the server')), false);
  assert.equal(shells.takes(markedInterruption(new Error('of what was typed, and continued after Ctrl-C'))), true);
  shells.close();
});
