/** What is pasted and typed at a terminal while a line runs. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { scratchFolder } from '@srv/kernel/testing';
import { packageFolder } from './fixture.js';
import { Terminal, noTerminal } from './terminal.js';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Milliseconds for keys to arrive; if they take longer, a test proves less, but does not fail. */
const arrival = 300;
const marks = { start: '\u001b[200~', end: '\u001b[201~' };

describe('pastes while a line runs', { skip: noTerminal }, () => {
  const work = scratchFolder();
  const go = join(work, 'go');
  const held: ServerResponse[] = [];
  const server = createServer((_, response) => held.push(response));
  let terminal: Terminal;
  let block = 0;

  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const config = join(work, 'cli.yaml');
    const { port } = server.address() as AddressInfo;
    writeFileSync(config, `server:\n  endpoint_url: http://127.0.0.1:${port}\ncredentials:\n  access_key_id: x\n  secret_access_key: y\n`);
    terminal = await Terminal.open(work, [process.execPath, join(packageFolder, 'bin', 'cli.js'), 'repl'], {
      CLI_CONFIG_FILE: config,
      HOME: work,
    });
    await terminal.until(/^cli> *$/m);
  });

  after(async () => {
    await terminal?.close();
    server.close();
  });

  afterEach(() => rmSync(go, { force: true }));

  /** A line that runs until {@link endJavaScript}. Until its first `await`, the terminal itself shows what is typed. */
  async function runJavaScript(name: string): Promise<void> {
    await terminal.type(
      `await new Promise(setImmediate); console.log('${name} ' + 'begins'); while (!fs.existsSync('go')) await new Promise(done => setTimeout(done, 20));`,
    );
    await terminal.until(new RegExp(`^${name} begins$`, 'm'));
  }

  function endJavaScript(): void {
    writeFileSync(go, '');
  }

  /** A command that runs until {@link endCommand}. */
  async function runCommand(): Promise<void> {
    const asked = once(server, 'request');
    await terminal.type('repo list -o json');
    await asked;
  }

  function endCommand(): void {
    for (const response of held.splice(0))
      response.setHeader('content-type', 'application/json').end('{"results":[],"pagination":{"has_more":false}}');
  }

  /** A block that prints how much of it arrived, once its last line has run. */
  function blockOf(lines: number): { readonly text: string; readonly printed: RegExp } {
    const name = `sum${++block}`;
    const adding = Array.from({ length: lines }, (_, i) => `\t${name} += ${i};`);
    const total = (lines * (lines - 1)) / 2;
    return {
      text: [`let ${name} = 0; {`, ...adding, '}', `'${name} is ' + ${name}`].join('\n'),
      printed: new RegExp(`'${name} is ${total}'`),
    };
  }

  for (const lines of [2, 40, 400])
    for (const [what, run, end] of [
      ['JavaScript', () => runJavaScript(`wait${lines}`), endJavaScript],
      ['a command', runCommand, endCommand],
    ] as const)
      test(`${lines} lines during ${what} are one block afterwards`, async () => {
        const { text, printed } = blockOf(lines);
        await run();
        await terminal.paste(text);
        await sleep(arrival);
        assert.doesNotMatch(await terminal.screen(), printed);
        end();
        // It waits for Enter like every block, and can be seen.
        await terminal.until(new RegExp(`'sum${block} is ' \\+ sum${block} *$`, 'm'));
        assert.doesNotMatch(await terminal.screen(), printed);
        await terminal.press('Enter');
        await terminal.until(printed);
      });

  for (const [what, run, end] of [
    ['JavaScript', () => runJavaScript('plain'), endJavaScript],
    ['a command', runCommand, endCommand],
  ] as const)
    test(`lines without marks during ${what} run one after the other`, async () => {
      await run();
      const name = `plain${++block}`;
      const lines = Array.from({ length: 30 }, (_, i) => `${name}.push(await new Promise(done => setTimeout(done, 1, ${i})))`);
      await terminal.paste([`const ${name} = []`, ...lines, `'${name}: ' + ${name}.join()`, ''].join('\n'), { marked: false });
      await sleep(arrival);
      end();
      await terminal.until(new RegExp(`'${name}: ${lines.map((_, i) => i).join(',')}'`));
    });

  test('a paste in two pieces is whole, with the end of the line before, between or after them', async () => {
    for (const ending of ['before', 'between', 'after']) {
      const { text, printed } = blockOf(20);
      const cut = Math.floor(text.length / 2);
      await runJavaScript(`pieces ${ending}`);
      await terminal.send(marks.start + text.slice(0, cut));
      await sleep(arrival);
      if (ending === 'between') {
        endJavaScript();
        await sleep(arrival);
      }
      await terminal.send(text.slice(cut) + marks.end);
      if (ending === 'after') await sleep(arrival);
      endJavaScript();
      await terminal.until(new RegExp(`'sum${block} is ' \\+ sum${block} *$`, 'm'));
      await terminal.press('Enter');
      await terminal.until(printed);
      rmSync(go);
    }
  });

  test('two pastes, and keys between them, keep their order', async () => {
    await runJavaScript('two');
    await terminal.paste('[1,');
    await terminal.press('2');
    await terminal.paste(',3].join(" and ")');
    await sleep(arrival);
    endJavaScript();
    await terminal.until(/\[1,2,3\]\.join\(" and "\)$/m);
    await terminal.type('.length');
    await terminal.until(/^13$/m);
  });

  test('keys that arrive together with the end of a paste come after it', async () => {
    const { text, printed } = blockOf(3);
    await terminal.send(`${marks.start}${text}${marks.end}.toFixed(1)\n`);
    await terminal.until(new RegExp(printed.source.replace(/'$/, ".0'")));
  });

  test('tabs pasted without marks while a line runs are tabs', async () => {
    await runJavaScript('tabs');
    await terminal.paste("for (const tab of ['a', 'b'])\n\tconsole.log('tab ' + tab);\n\n", { marked: false });
    await sleep(arrival);
    endJavaScript();
    await terminal.until(/^tab a\ntab b$/m);
  });

  test('Ctrl-C during the line drops what waits', async () => {
    for (const [run, end] of [
      [() => runJavaScript('dropped'), endJavaScript],
      [runCommand, endCommand],
    ] as const) {
      await run();
      await terminal.paste('"dropped " + "block"');
      await terminal.press('Enter');
      await terminal.send(`${marks.start}'half `);
      await sleep(arrival);
      await terminal.press('C-c');
      await terminal.until(/interrupted[^\n]*\n(.*\n)*?cli> *\n*$/);
      end();
      const next = `next${++block}`;
      await terminal.type(`'${next} ' + 'line'`);
      await terminal.until(new RegExp(`'${next} line'`));
      assert.doesNotMatch(await terminal.screen(), /dropped block|half/);
    }
  });
});
