/** The commands of the plugin. */
import { definePlugin } from '@srv/kernel';
import { prApprove } from './approve.js';
import { prClose } from './close.js';
import { prComment } from './comment.js';
import { prCreate } from './create.js';
import { prList } from './list.js';
import { prMerge } from './merge.js';
import { prSettings } from './settings.js';
import { prShow } from './show.js';

export default definePlugin({
  name: 'pulls',
  apply({ hooks }) {
    hooks.commands.tap('pulls', registry => {
      for (const command of [prCreate, prList, prShow, prComment, prApprove, prMerge, prClose, prSettings]) registry.add(command, 'pulls');
    });
  },
});
