/** Keys of the web page. */
import { defineConfig, key } from '@srv/kernel';
import { choice, filledText, flag, maybeText, origins, recordList, texts, webAddress } from './record-list.js';

export default defineConfig({
  plugin: 'ui',
  keys: {
    'ui.enabled': key.bool({ default: true, meaning: 'Serve the web page' }),
    'ui.custom_viewers': recordList(
      { type: '[]{name, url, extensions, content_types}', meaning: 'Pages that show objects of some kinds, in a sandboxed frame' },
      { name: filledText, url: webAddress, extensions: texts, content_types: texts },
    ),
    'ui.commit_metadata': recordList(
      { type: '[]{key, label, kind, required, values}', meaning: 'Metadata that the page asks for with every commit' },
      { key: filledText, label: maybeText, kind: choice('text', 'date'), required: flag, values: texts },
    ),
    'ui.snippets': recordList(
      { type: '[]{id, code, hosts}', meaning: 'HTML for the head of the page; scripts in it run, and may use the hosts' },
      { id: filledText, code: filledText, hosts: origins },
    ),
  },
});
