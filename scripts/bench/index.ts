/** All benchmarks, in the order in which they run. */
import actions from './actions.js';
import api from './api.js';
import cli from './cli.js';
import committed from './committed.js';
import gateway from './gateway.js';
import gc from './gc.js';
import lua from './lua.js';
import startUp from './start-up.js';
import storage from './storage.js';
import versioning from './versioning.js';
import type { Benchmark } from './benchmark.js';

export const benchmarks: readonly Benchmark[] = [startUp, cli, committed, versioning, storage, api, gateway, actions, lua, gc];
