import { definePlugin } from '@srv/kernel';
import { catSst } from './cat-sst.js';

export default definePlugin({
  name: 'catalog',
  apply(kernel) {
    kernel.hooks.commands.tap('catalog', registry => registry.add(catSst, 'catalog'));
  },
});
