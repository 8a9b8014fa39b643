/** Metrics that only DynamoDB knows: what requests cost, and when it asks to slow down. */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Metrics } from '@srv/kernel/metrics';

/** From now on, every request asks for the capacity it consumes, per attempt. */
export function measureRequests(client: DynamoDBClient, metrics: Metrics): void {
  const labels = ['operation'];
  const consumed = metrics.counter({
    name: 'dynamo_consumed_capacity_total',
    help: 'Capacity units consumed by requests to DynamoDB',
    labels,
  });
  const slowDowns = metrics.counter({ name: 'dynamo_slowdown_total', help: 'Attempts that DynamoDB throttled', labels });
  client.middlewareStack.add(
    (next, { commandName = 'unknown' }) =>
      async given => {
        const answer = await next(consumes(commandName) ? { ...given, input: { ...given.input, ReturnConsumedCapacity: 'TOTAL' } } : given);
        const units = unitsOf(answer.output);
        if (units !== undefined) consumed.labels(operationOf(commandName)).add(units);
        return answer;
      },
    { step: 'initialize', name: 'measureCapacity' },
  );
  client.middlewareStack.add(
    (next, { commandName = 'unknown' }) =>
      async given => {
        try {
          return await next(given);
        } catch (error) {
          if (isThrottling(error)) slowDowns.labels(operationOf(commandName)).add();
          throw error;
        }
      },
    // Below the retries, so that each attempt is counted.
    { step: 'finalizeRequest', name: 'measureThrottling', priority: 'low' },
  );
}

/** Commands on items; those on tables cost nothing and refuse to be asked. */
const consumes = (command: string): boolean => /Item|Query|Scan/.test(command);

/** `GetItemCommand` → `GetItem`. */
const operationOf = (command: string): string => command.replace(/Command$/, '');

const throttling = new Set(['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded']);

function isThrottling(error: unknown): boolean {
  return error instanceof Error && throttling.has(error.name);
}

interface Capacity {
  readonly CapacityUnits?: number;
}

function unitsOf(output: object): number | undefined {
  if (!('ConsumedCapacity' in output)) return undefined;
  const { ConsumedCapacity: capacity } = output as { ConsumedCapacity?: Capacity | readonly Capacity[] };
  // A batch reports it by table.
  const all = Array.isArray(capacity) ? (capacity as readonly Capacity[]) : [capacity as Capacity | undefined];
  const known = all.flatMap(each => each?.CapacityUnits ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, units) => sum + units, 0);
}
