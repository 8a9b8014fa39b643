/** A row of requests from many connections, measured in short rounds, as machines change their pace within seconds. */
import { applyLoad, percentile } from '../api-load.js';
import type { Side } from './side.js';
import type { Measured, Scale } from './work.js';

interface Load {
  readonly connections: number;
  readonly request: () => Buffer;
}

/** @param round 0 waits longer until the server has compiled what the requests need. */
export async function underLoad(
  side: Side,
  round: number,
  { connections, request }: Load,
  { duration, warmUp, firstWarmUp }: Scale,
): Promise<Measured> {
  await applyLoad({ port: side.port, request, connections, duration: round === 0 ? firstWarmUp : warmUp });
  const { rate, latencies } = await applyLoad({ port: side.port, request, connections, duration });
  return { value: rate, tail: percentile(latencies, 0.99) };
}
