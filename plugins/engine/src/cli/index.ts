import { definePlugin } from '@srv/kernel';
import { catSst } from './cat-sst.js';

export default definePlugin({
  name: 'engine',
  apply(kernel) {
    kernel.hooks.commands.tap('engine', registry => registry.add(catSst, 'engine'));
  },
});
