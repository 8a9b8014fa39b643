/** Keys of the web page. */
import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'ui',
  keys: { 'ui.enabled': key.bool({ default: true, meaning: 'Serve the web page' }) },
});
