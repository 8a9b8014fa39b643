/** The commands of the plugin. */
import { definePlugin } from '@srv/kernel';
import { prApprove } from './approve.js';
import { prChecks } from './checks.js';
import { prClose } from './close.js';
import { prComment } from './comment.js';
import { prCreate } from './create.js';
import { prList } from './list.js';
import { prMerge } from './merge.js';
import { prReviewers } from './reviewers.js';
import { prSettings } from './settings.js';
import { prShow } from './show.js';
import type { Command } from '@srv/lib-commands';

const commands: readonly Command[] = [prCreate, prList, prShow, prComment, prReviewers, prChecks, prApprove, prMerge, prClose, prSettings];

export default definePlugin({
  name: 'pulls',
  apply({ hooks }) {
    hooks.commands.tap('pulls', registry => {
      for (const command of commands) registry.add(command, 'pulls');
    });
  },
});
