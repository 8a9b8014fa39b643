/** Options of what runs scripts, apart from what does it: that is loaded when a script runs. */
import type { CommandOption } from '@srv/lib-commands';

export const scriptOptions: readonly CommandOption[] = [
  { name: 'eval', short: 'e', type: 'texts', description: 'line to run; several run one after the other' },
  { name: 'dry-run', type: 'bool', default: false, description: 'print what would change, change nothing' },
  { name: 'keep-going', short: 'k', type: 'bool', default: false, description: 'go on after a failure' },
  { name: 'transcript', type: 'string', completes: 'path', description: 'file that receives each line and its output' },
];
