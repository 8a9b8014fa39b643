/** `database.type: json`: records in one JSON file, for a single server. */
import { existsSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { definePlugin } from '@srv/kernel';
import { defineKvStore } from '@srv/lib-stores/kv';

export default definePlugin({
  name: 'kv-json',
  apply: ({ hooks }) => hooks.openKvStore.for('json').tapPromise('kv-json', async () => openJson(process.env['KV_JSON_FILE'] ?? 'kv.json')),
});

export function openJson(file: string) {
  const records = new Map<string, string>(existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as [string, string][]) : []);
  const hex = (partition: string, key: Buffer): string => `${Buffer.from(partition).toString('hex')}/${key.toString('hex')}`;
  const bytes = (text: string | undefined): Buffer | undefined => (text === undefined ? undefined : Buffer.from(text, 'hex'));
  let saved = Promise.resolve();
  const save = (_changed: unknown): Promise<void> => {
    saved = saved
      .then(() => writeFile(`${file}.new`, JSON.stringify([...records]), { flush: true }))
      .then(() => rename(`${file}.new`, file));
    return saved;
  };
  return defineKvStore({
    type: 'json',
    get: (partition, key) => bytes(records.get(hex(partition, key))),
    set: (partition, key, value) => save(records.set(hex(partition, key), value.toString('hex'))),
    delete: (partition, key) => save(records.delete(hex(partition, key))),
    *entries(partition, start) {
      const [from, prefix] = [hex(partition, start), hex(partition, Buffer.alloc(0))];
      for (const name of [...records.keys()].filter(each => each.startsWith(prefix) && each >= from).sort())
        yield { key: Buffer.from(name.slice(prefix.length), 'hex'), value: bytes(records.get(name)) ?? Buffer.alloc(0) };
    },
  });
}
