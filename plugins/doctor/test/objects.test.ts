import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startSrv } from '@srv/test-servers';
import { examineObjects } from '../src/server/objects.js';

it('names objects whose files are missing or of another size', async t => {
  const { kernel, stop } = await startSrv();
  t.after(stop);
  const [engine, block] = [kernel.services.get('engine'), kernel.services.get('block')];
  await engine.createRepository({ id: 'bare', storageNamespace: 'local://bare', bare: true });
  await engine.createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
  for (const path of ['cut', 'gone', 'long', 'whole']) await engine.putObject('lakes', 'main', path, Buffer.from(`content of ${path}`));
  const at = async (path: string) => {
    const { address, addressType } = await engine.getEntry('lakes', 'main', path);
    return { namespace: 'local://lakes', identifier: address, identifierType: addressType };
  };
  const sound = (await examineObjects(kernel, {})).map(({ verdict, text }) => `${verdict} ${text}`);
  assert.deepEqual(sound, [
    'ok srv://bare/main/: all 0 objects are there, with their sizes',
    'ok srv://lakes/main/: all 4 objects are there, with their sizes',
  ]);
  await block.put(await at('cut'), Buffer.from('c'));
  await block.put(await at('long'), Buffer.from('much longer than before'));
  await block.remove(await at('gone'));
  const [, lakes] = await examineObjects(kernel, {});
  assert.equal(lakes?.verdict, 'failed');
  assert.match(
    lakes.text,
    /^srv:\/\/lakes\/main\/: cut should have 14 bytes, its file has 1\ngone: its file is missing\nlong should have 15 bytes, its file has 23$/,
  );
  const [, first] = await examineObjects(kernel, { most: 1 });
  assert.match(first?.text ?? '', /cut should have/);
});
