/** Where the output of a line goes at a terminal: the pager, a program, a file, a reader that has left. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { packageFolder } from './fixture.js';
import { Terminal, noTerminal } from './terminal.js';

const rows = 5000;
/** Commands that return a list bit by bit, a text, and bytes. */
const plugin = `import { Readable } from 'node:stream';
const line = i => 'a longer line of output, number ' + i;
const lines = Array.from({ length: ${rows} }, (_, i) => line(i));
export default { name: 'printing', apply({ hooks }) { hooks.commands.tap('printing', registry => {
  registry.add({ name: 'items', summary: 'x', run: async function* () { yield* lines; }, render: text => text }, 'printing');
  registry.add({ name: 'words', summary: 'x', run: () => lines.join('\\n'), render: text => text }, 'printing');
  registry.add({ name: 'content', summary: 'x', run: async () => Readable.from(lines.map(text => Buffer.from(text + '\\n'))) }, 'printing');
  registry.add({ name: 'endless', summary: 'x', run: async function* () { for (let i = 0; ; i++) { yield line(i); if (i % 500 === 499) await new Promise(r => setTimeout(r, 1)); } }, render: text => text }, 'printing');
}); } };`;

describe('the output of a line at a terminal', { skip: noTerminal }, () => {
  const work = scratchFolder();
  let terminal: Terminal;
  let next = 0;

  before(async () => {
    const folder = join(work, 'printing');
    mkdirSync(folder);
    writeFileSync(join(folder, 'cli.mjs'), plugin);
    const srv = { api: 1, name: 'printing', cli: './cli.mjs' };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'printing', version: '1.0.0', keywords: ['srv-plugin'], srv }));
    terminal = await Terminal.open(work, [process.execPath, join(packageFolder, 'bin', 'cli.js'), 'repl'], {
      HOME: work,
      SRV_PLUGINS_PATHS: folder,
      CLI_HISTORY: '',
      PAGER: 'less',
      LESS: 'RX',
    });
    await terminal.until(/^cli> *$/m);
  });

  after(() => terminal?.close());

  /** The shell takes lines. */
  async function answers(): Promise<void> {
    const name = `answer${next++}`;
    await terminal.type(`'${name}' + '!'`);
    await terminal.until(new RegExp(`'${name}!'`));
  }

  for (const command of ['items', 'words', 'content']) {
    test(`${command} in the pager: the shell continues after q`, async () => {
      await terminal.type(command);
      await terminal.until(/number 40$[\s\S]*^:/m);
      await terminal.press('q');
      await answers();
    });

    test(`${command} to its end in the pager: the shell continues`, async () => {
      await terminal.type(command);
      await terminal.until(/^:/m);
      await terminal.press('G');
      await terminal.until(new RegExp(`number ${rows - 1}$`, 'm'));
      await terminal.press('q');
      await answers();
    });

    test(`${command} to a program, a file and a reader that has left: the shell continues`, async () => {
      await terminal.type(`${command} | tail -n 1`);
      await terminal.until(new RegExp(`number ${rows - 1}$`, 'm'));
      await terminal.type(`${command} | cat > ${command}.txt`);
      await answers();
      assert.equal(
        readFileSync(join(work, `${command}.txt`), 'utf8')
          .trimEnd()
          .split('\n').length,
        rows,
      );
      for (const reader of ['true', 'false', 'head -n 1', 'exec 0<&-', 'no-such-program']) {
        await terminal.type(`${command} | ${reader}`);
        await answers();
      }
    });
  }

  test('a list without end stops when the person leaves the pager, and with Ctrl-C', async () => {
    await terminal.type('endless');
    await terminal.until(/^:/m);
    await terminal.press('q');
    await answers();
    await terminal.type('endless | cat > /dev/null');
    await terminal.press('C-c');
    await answers();
  });

  test('a pager that does not exist does not lose the output', async () => {
    await terminal.type("env.CLI_PAGER = 'x'; 'is read at the start'");
    await terminal.type('words | tail -n 2');
    await terminal.until(new RegExp(`number ${rows - 1}$`, 'm'));
    await answers();
  });
});
