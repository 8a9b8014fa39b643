/** The commands of the plugin. */
import { definePlugin } from '@srv/kernel';
import { icebergCreateNamespace } from './create-namespace.js';
import { icebergDiff } from './diff.js';
import { icebergExpire } from './expire.js';
import { icebergHistory, icebergRollback } from './history.js';
import { icebergRegister } from './register.js';
import { icebergPull, icebergPush } from './remotes.js';
import { icebergRewrite } from './rewrite.js';
import { icebergList, icebergShow } from './show.js';

export default definePlugin({
  name: 'iceberg',
  apply({ hooks }) {
    hooks.commands.tap('iceberg', registry => {
      registry.add(icebergCreateNamespace, 'iceberg');
      registry.add(icebergList, 'iceberg');
      registry.add(icebergShow, 'iceberg');
      registry.add(icebergHistory, 'iceberg');
      registry.add(icebergDiff, 'iceberg');
      registry.add(icebergRollback, 'iceberg');
      registry.add(icebergExpire, 'iceberg');
      registry.add(icebergRegister, 'iceberg');
      registry.add(icebergRewrite, 'iceberg');
      registry.add(icebergPush, 'iceberg');
      registry.add(icebergPull, 'iceberg');
    });
  },
});
