/** The built-in commands: those of the engine, and those that work with files and programs of this machine. */

import { engineCommands } from '@srv/engine/commands';
import { completion } from './completion.js';
import { config } from './config.js';
import { docs } from './docs.js';
import { fsDownload } from './fs-download.js';
import { fsUpload } from './fs-upload.js';
import { login } from './login.js';
import { logout } from './logout.js';
import { pluginList } from './plugin-list.js';
import { refsDump } from './refs-dump.js';
import { refsRestore } from './refs-restore.js';
import { repl } from './repl.js';
import { run } from './run.js';
import { whoami } from './whoami.js';
import type { Command } from '@srv/lib-commands';

export const builtInCommands: readonly Command[] = [
  ...engineCommands,
  completion,
  config,
  docs,
  fsDownload,
  fsUpload,
  login,
  logout,
  pluginList,
  refsDump,
  refsRestore,
  repl,
  run,
  whoami,
];
