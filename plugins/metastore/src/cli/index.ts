/** The commands of the plugin. */
import { definePlugin } from '@srv/kernel';
import { metastoreCopy } from './copy.js';
import { metastoreCopyAll } from './copy-all.js';
import { metastoreCopySchema } from './copy-schema.js';
import { metastoreCreateSymlink } from './create-symlink.js';
import { metastoreDiff } from './diff.js';
import { metastoreImportAll } from './import-all.js';

const commands = [metastoreCopy, metastoreCopyAll, metastoreCopySchema, metastoreCreateSymlink, metastoreDiff, metastoreImportAll];

export default definePlugin({
  name: 'metastore',
  apply({ hooks }) {
    hooks.commands.tap('metastore', registry => {
      for (const command of commands) registry.add(command, 'metastore');
    });
  },
});
