/** A separate process: builds a metarange and reports its peak memory in MiB. */
import { openEngine } from './engine.js';
import { recordChanges } from './records.js';

let peak = 0;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 20);
const engine = await openEngine();
await engine.kernel.services
  .get('engine')
  .tables.apply({ namespace: 'local://bench', base: '', changes: recordChanges(Number(process.argv[2])) });
clearInterval(watch);
process.send?.(Math.round(peak / 2 ** 20));
await engine.close();
