import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SrvError } from '@srv/kernel';
import { startSrv } from '@srv/test-servers';
import { examineObjects } from '../src/server/objects.js';
import type { ObjectPointer } from '@srv/lib-stores/block';

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
  assert.match(lakes.remedy ?? '', /^Restore the objects from a backup, [^.]+\.$/);
  const [, first] = await examineObjects(kernel, { most: 1 });
  assert.match(first?.text ?? '', /cut should have/);
});

it('advises something else than a backup where the block store may not read', async t => {
  const { kernel, stop } = await startSrv();
  t.after(stop);
  const [engine, block] = [kernel.services.get('engine'), kernel.services.get('block')];
  await engine.createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
  for (const path of ['gone', 'moved']) await engine.putObject('lakes', 'main', path, Buffer.from(path));
  const { address, addressType } = await engine.getEntry('lakes', 'main', 'gone');
  const properties = t.mock.method(block, 'properties');
  const refusal = (): Promise<never> => Promise.reject(new SrvError('forbidden', '/old/moved: forbidden'));
  properties.mock.mockImplementation(refusal);
  const [all] = await examineObjects(kernel, {});
  assert.match(all?.text ?? '', /: gone: \/old\/moved: forbidden\nmoved: \/old\/moved: forbidden$/);
  assert.match(all?.remedy ?? '', /^The block store may not read .*allowed_external_prefixes; otherwise allow the server to read there\.$/);
  properties.mock.restore();
  await block.remove({ namespace: 'local://lakes', identifier: address, identifierType: addressType });
  const real = block.properties.bind(block);
  t.mock.method(block, 'properties', (pointer: ObjectPointer) => (pointer.identifier === address ? real(pointer) : refusal()));
  const [both] = await examineObjects(kernel, {});
  assert.match(both?.remedy ?? '', /^Restore the objects .* until then\. The block store may not read /);
});
