/** The commands of `local`. */

import { localCheckout } from './checkout.js';
import { localClone } from './clone.js';
import { localCommit } from './commit.js';
import { localInit } from './init.js';
import { localList } from './list.js';
import { localPull } from './pull.js';
import { localStatus } from './status.js';
import type { Command } from '@srv/lib-commands';

export const commands: readonly Command[] = [localCheckout, localClone, localCommit, localInit, localList, localPull, localStatus];
