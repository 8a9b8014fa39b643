/** All benchmarks, in the order in which they run. */
import api from './api.js';
import type { Benchmark } from './benchmark.js';
import cli from './cli.js';
import committed from './committed.js';
import gateway from './gateway.js';
import gc from './gc.js';
import startUp from './start-up.js';
import storage from './storage.js';
import versioning from './versioning.js';

export const benchmarks: readonly Benchmark[] = [startUp, cli, committed, versioning, gc, storage, api, gateway];
