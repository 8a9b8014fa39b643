/** `database.type: json`: records in one JSON file, for a single server. */
import { existsSync, readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { definePlugin } from '@srv/kernel';
import { defineKvStore } from '@srv/lib-kv-store';

export default definePlugin({
  name: 'kv-json',
  apply: ({ hooks }) => hooks.openKvStore.for('json').tapPromise('kv-json', async () => openJson(process.env['KV_JSON_FILE'] ?? 'kv.json')),
});

export function openJson(file: string) {
  const data: Record<string, Record<string, string>> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  let saving = Promise.resolve();
  const save = (): Promise<void> =>
    (saving = saving.then(async () => {
      const handle = await open(`${file}.new`, 'w');
      await handle.writeFile(JSON.stringify(data));
      await handle.sync();
      await handle.close();
      await rename(`${file}.new`, file);
    }));
  return defineKvStore({
    type: 'json',
    get: (partition, key) =>
      data[partition]?.[key.toString('hex')] === undefined ? undefined : Buffer.from(data[partition][key.toString('hex')] ?? '', 'hex'),
    set: (partition, key, value) => (((data[partition] ??= {})[key.toString('hex')] = value.toString('hex')), save()),
    delete: (partition, key) => (delete data[partition]?.[key.toString('hex')], save()),
    *entries(partition, start) {
      for (const key of Object.keys(data[partition] ?? {})
        .filter(each => each >= start.toString('hex'))
        .sort())
        yield { key: Buffer.from(key, 'hex'), value: Buffer.from(data[partition]?.[key] ?? '', 'hex') };
    },
  });
}
