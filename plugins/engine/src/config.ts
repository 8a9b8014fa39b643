/** What operators configure of the engine. */
import { defineConfig } from '@srv/kernel';
import objects from './objects/config.js';
import refs from './refs/config.js';
import tables from './tables/config.js';

export default defineConfig({
  plugin: 'engine',
  keys: { ...tables.keys, ...refs.keys, ...objects.keys },
  check: values => tables.check?.(values) ?? [],
});
