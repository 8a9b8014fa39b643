/** The lines for Python on the web page: a program that is made of them reads the repository. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { scratchFolder } from '@srv/kernel/testing';
import { needsChromium } from '@srv/test-servers/chromium';
import { setPageStage } from '@srv/test-servers/page-stage';
import { findPython } from '@srv/test-servers/python';
import type {} from '@srv/engine/contract';

const python = findPython('datasets');
const skip = needsChromium || (python === undefined ? 'needs datasets' : false);

for (const [repository, name] of [
  ['deep--lakes', 'deep/lakes'],
  ['lakes', 'own/lakes'],
] as const)
  test(`the page shows lines for Python that work as they are, for the repository ${repository}`, { skip }, async t => {
    const stage = await setPageStage({ plugins: ['huggingface'], config: { 'huggingface.namespace': 'own' } }, () => ({
      close: () => undefined,
    }));
    t.after(() => stage.close());
    const { page, srv } = stage;
    const engine = srv.kernel.services.get('engine');
    await engine.createRepository({ id: repository, storageNamespace: 'local://lakes' });
    await engine.putObject(repository, 'main', 'train.csv', Buffer.from('name,depth\nKivu,475\n'));
    const { id } = await engine.commit(repository, 'main', { committer: 'ann', message: 'lakes' });
    await engine.createTag(repository, 'v1', id);
    await stage.open(`repositories/${repository}/objects?ref=v1`);
    await page.getByText('With the libraries of Hugging Face').click();
    const code = page.getByRole('region', { name: 'Python', exact: true });
    await code.getByText(`load_dataset("${name}", revision="v1")`).waitFor();
    await stage.check('use-from-python');
    const folder = scratchFolder();
    const shown = (await code.innerText()).replaceAll(/^\d+\s/gm, '');
    const key = `${srv.key.accessKeyId}:${srv.key.secretAccessKey}`;
    const program = `${shown.replace('ACCESS_KEY_ID:SECRET_ACCESS_KEY', key)}\nprint(data["train"][0], os.listdir(folder))\n`;
    writeFileSync(join(folder, 'program.py'), program);
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      HF_HOME: folder,
      HF_HUB_DISABLE_UPDATE_CHECK: '1',
      HF_HUB_DISABLE_PROGRESS_BARS: '1',
    };
    const { stdout } = await promisify(execFile)(python ?? '', [join(folder, 'program.py')], { env, timeout: 120_000 });
    assert.match(stdout, /\{'name': 'Kivu', 'depth': 475\} \['train\.csv'\]/);
  });
