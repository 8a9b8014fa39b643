/** The shell as a person has it: in a pseudo-terminal. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { packageFolder } from './fixture.js';
import { Terminal, noTerminal } from './terminal.js';

describe('the shell at a terminal', { skip: noTerminal }, () => {
  const work = scratchFolder();
  let terminal: Terminal;

  before(async () => {
    const config = join(work, 'cli.yaml');
    writeFileSync(config, 'server:\n  endpoint_url: http://127.0.0.1:1\ncredentials:\n  access_key_id: x\n  secret_access_key: y\n');
    writeFileSync(join(work, 'notes.txt'), 'x');
    const words = [process.execPath, join(packageFolder, 'bin', 'cli.js'), 'repl'];
    terminal = await Terminal.open(
      work,
      ['sh', '-c', `trap : INT; ${words.map(word => `'${word}'`).join(' ')}; echo "left: $?"; exec sh`],
      {
        CLI_CONFIG_FILE: config,
        HOME: work,
        PS1: '$ ',
        PAGER: 'sed s/^/paged:/',
      },
    );
    await terminal.until(/^cli> *$/m);
  });

  after(() => terminal?.close());

  test('a pasted block of several lines is one block, its tabs are tabs', async () => {
    await terminal.paste(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: JavaScript that the shell evaluates
      "for (const x of [1, 2]) {\n\tconst shout = `<${x}>`;\n\tconsole.log(shout.repeat(2));\n}\nconst after = 'paste' + 'd';\nafter",
    );
    await terminal.press('Enter');
    const screen = await terminal.until(/'pasted'/);
    assert.match(screen, /<1><1>$[\s\S]*^<2><2>$/m);
    assert.doesNotMatch(screen, /Error/);
  });

  test('.load runs a program, and what is typed afterwards is a line again', async () => {
    writeFileSync(
      join(work, 'program.srv'),
      "let loaded = 'load'\nif (false) {\n}\nelse {\n  loaded += 'ed'\n}\nconsole.log('<' + loaded + '>')\n",
    );
    await terminal.type('.load program.srv');
    await terminal.until(/^<loaded>$/m);
    await terminal.type("'then ' + loaded");
    await terminal.until(/'then loaded'/);
    await terminal.type('.load nothing.srv');
    await terminal.until(/open nothing\.srv: no such file or directory/);
    await terminal.type("'still ' + loaded");
    await terminal.until(/'still loaded'/);
  });

  test('a program that is typed line by line and one that is pasted do the same', async () => {
    const text = (name: string): string =>
      `const ${name} = [\n1,\n2\n]\nfor (const x of ${name}) {\nawait null\nif (x > 1) {\nconsole.log('${name}', x)\n} else {\nconsole.log('${name}', 'small')\n}\n}\nconsole.log('${name}' +\n' done')`;
    const lines = text('typed').split('\n');
    for (const line of lines.slice(0, -2)) await terminal.type(line);
    await terminal.until(/typed small$\s+^typed 2$/m);
    for (const line of lines.slice(-2)) await terminal.type(line);
    await terminal.until(/^typed done$/m);
    await terminal.paste(text('pasting'));
    await terminal.press('Enter');
    await terminal.until(/^pasting small$\s+^pasting 2$\s+^pasting done$/m);
  });

  test('import and await work at the prompt', async () => {
    await terminal.type("import { basename } from 'node:path'");
    await terminal.type("const waited = await Promise.resolve(basename('/a/waited.txt'))");
    await terminal.type('[waited]');
    await terminal.until(/\[ 'waited\.txt' \]/);
  });

  test('Ctrl-R finds a line of the history by a part of it', async () => {
    await terminal.type("'hay' + 'stack'");
    await terminal.until(/'haystack'/);
    await terminal.type("'some' + 'thing'");
    await terminal.until(/'something'/);
    await terminal.type('clear');
    await terminal.until(/^cli> *\n*$/);
    await terminal.press('C-r');
    await terminal.until(/bck-i-search:/);
    await terminal.send('stack');
    await terminal.until(/^cli> 'hay' \+ 'stack'\s+bck-i-search: stack/m);
    await terminal.press('Enter');
    await terminal.until(/^'haystack'$/m);
  });

  test('Ctrl-C ends an endless loop, and not the shell', async () => {
    await terminal.type('console.log("spin" + "ning"); while (true) {}');
    await terminal.until(/^spinning$/m);
    await terminal.press('C-c');
    await terminal.until(/interrupted/);
    await terminal.type("'still ' + 'here'");
    await terminal.until(/'still here'/);
  });

  test('a last line without an end stays', async () => {
    await terminal.type("!printf 'first\\nsecond'");
    await terminal.until(/^first$\s+^second% *$\s+^cli> *$/m);
    await terminal.type("!printf 'third' | cat");
    await terminal.until(/^third% *$\s+^cli> *$/m);
    await terminal.type(`!printf '%240s' x`);
    await terminal.until(/^ {239}x$\s+^cli> *$/m);
    await terminal.type("!printf 'whole\\n'");
    const screen = await terminal.until(/^whole$\s+^cli> *$/m);
    assert.doesNotMatch(screen, /^%/m, 'no mark is left alone in a line');
  });

  test('a name that needs quotes is completed in quotes', async () => {
    mkdirSync(join(work, 'odd na$me'));
    writeFileSync(join(work, 'odd na$me', "it's"), 'x');
    const start = 'upload srv://x/main/y -s ';
    for (const [typed, completed] of [
      ['od', "'odd na$me/'"],
      ["'odd na", "'odd na$me/'"],
      ['odd\\ na\\$me/', "'odd na$me/it'\\''s'"],
      ["'odd na$me/'", "'odd na$me/it'\\''s'"],
    ] as const) {
      await terminal.paste(start + typed);
      await terminal.press('Tab');
      await terminal.until(new RegExp(`^cli> ${`${start}${completed}`.replace(/[$\\]/g, '\\$&')}$`, 'm'));
      await terminal.press('C-u');
      await terminal.until(/\ncli> *\n*$/);
    }
    writeFileSync(join(work, 'odd number'), 'x');
    await terminal.paste(`${start}od`);
    await terminal.press('Tab');
    await terminal.until(/-s 'odd n'$/m);
    await terminal.press('Tab');
    await terminal.until(/^odd na\$me\/ +odd number$/m);
    await terminal.press('C-u');
  });

  test('_. and the files of this machine complete', async () => {
    await terminal.type('({ apples: 1, apricots: 2 })');
    await terminal.until(/apricots: 2 }\n/);
    await terminal.press('_');
    await terminal.press('.');
    await terminal.press('a');
    await terminal.press('p');
    await terminal.press('p');
    await terminal.press('Tab');
    await terminal.until(/_\.apples/);
    await terminal.press('C-u');
    await terminal.press('C-k');
    await terminal.paste('upload srv://x/main/y -s not');
    await terminal.press('Tab');
    await terminal.until(/-s notes\.txt/);
    await terminal.press('C-u');
  });

  test('long output goes through the pager, short output does not', async () => {
    await terminal.type('.timing');
    await terminal.until(/timing is on/);
    await terminal.type('help | tail -n 2');
    await terminal.until(/\(\d+\.\d ms\)/);
    assert.doesNotMatch(await terminal.screen(), /paged:/);
    await terminal.type('plugin list');
    await terminal.type('docs');
    await terminal.until(/^paged:/m);
  });

  test('srv plugins list fits the terminal', async () => {
    const list = `'${process.execPath}' '${join(packageFolder, 'bin', 'srv.js')}' plugins list`;
    for (const columns of [80, 132]) {
      await terminal.resize(columns);
      await terminal.type(`!${list}; echo "listed: $?"`);
      await terminal.until(/^listed: 0$/m);
      const lines = (await terminal.screen({ joined: true })).split('\n').map(line => line.trimEnd());
      assert.ok(lines.some(line => /^webdav +\d/.test(line)));
      for (const line of lines) assert.ok(line.length <= columns, line);
      await terminal.type('clear');
      await terminal.until(/^(?:\(.* ms\)\n)?cli> *\n*$/);
    }
    await terminal.resize(240);
    await terminal.type(`!${list} | awk '{ if (length($0) > most) most = length($0) } END { print "most: " most }'`);
    await terminal.until(/^most: [1-9]\d{2,}$/m);
  });

  test('a terminal that is resized while a program runs shows no prompt in its output', async () => {
    await terminal.type("!touch begun; while ! [ -e go ]; do sleep 0.05; done; echo 'out'put");
    await new Promise<void>(resolve => {
      const watcher = watch(work, () => {
        if (!existsSync(join(work, 'begun'))) return;
        watcher.close();
        resolve();
      });
      if (existsSync(join(work, 'begun'))) watcher.emit('change');
    });
    await terminal.resize(150);
    await terminal.resize(240);
    writeFileSync(join(work, 'go'), '');
    await terminal.until(/^output$/m);
  });

  test('a terminal that is resized while JavaScript runs shows no prompt in its output', async () => {
    await terminal.type(
      "console.log('beg' + 'un'); await new Promise(resolve => process.stdout.once('resize', () => setImmediate(resolve))); console.log('go' + 'ne')",
    );
    await terminal.until(/^begun$/m);
    await terminal.resize(150);
    await terminal.until(/^begun\n+gone$/m);
    await terminal.resize(240);
  });

  test('a word that is nothing is answered with a guess, and quit leaves', async () => {
    await terminal.type('brnch list');
    await terminal.until(/did you mean branch\?/);
    await terminal.type('quit');
    await terminal.until(/^left: 0$/m);
  });
});
