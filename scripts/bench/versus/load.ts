/** A row of requests from many connections, measured in short rounds, as machines change their pace within seconds. */
import { applyLoad, percentile } from '../api-load.js';
import type { Side } from './side.js';
import type { Scale, Work } from './work.js';

interface Load {
  readonly what: string;
  /** Names the row of the 99th percentile. */
  readonly tail?: string | undefined;
  readonly connections: number;
  readonly requests: (side: Side) => () => Buffer;
}

/** Of several processes one after another: what V8 compiles and where it puts objects differs between two processes of one version. */
export function underLoad({ what, tail, connections, requests }: Load, scale: Scale): Work {
  const warm = new Map<Side, number | undefined>();
  return {
    what,
    tail,
    unit: 'requests/s',
    rounds: scale.loads,
    roundsPerProcess: scale.loadsPerProcess,
    async measure(side) {
      const { port, pid } = side;
      const request = requests(side);
      // A process that has not served such requests yet compiles what they need.
      const duration = warm.get(side) === pid ? scale.warmUp : scale.firstWarmUp;
      warm.set(side, pid);
      await applyLoad({ port, request, connections, duration });
      const { rate, latencies } = await applyLoad({ port, request, connections, duration: scale.duration });
      return { value: rate, tail: percentile(latencies, 0.99) };
    },
  };
}
