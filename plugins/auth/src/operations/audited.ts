/** Logs every change of users and permissions: who changed what of whom, and in which request. */
import type { AnyInput, AnyOperation, OperationContext } from '@srv/lib-api';

/** Operations that change nothing, or write a line of their own. */
const apart = ['setup', 'setupCommPrefs'];
const names = ['userId', 'groupId', 'policyId', 'accessKeyId'] as const;

/** `operations`, with those that change something writing a line once they have. */
export function audited<const O extends Readonly<Record<string, object>>>(operations: O): O {
  return Object.fromEntries(
    Object.entries(operations).map(([id, operation]) => [
      id,
      writesLine(operation as AnyOperation) ? withLine(operation as AnyOperation) : operation,
    ]),
  ) as Readonly<Record<string, object>> as O;
}

function writesLine({ method, operationId }: AnyOperation): boolean {
  return method !== 'GET' && !apart.includes(operationId);
}

function withLine(operation: AnyOperation): AnyOperation {
  return {
    ...operation,
    async handler(context: OperationContext, input: AnyInput): Promise<unknown> {
      const result = await operation.handler(context, input);
      context.log.info({ change: operation.operationId, ...subjectOf(input, result) }, 'identity changed');
      return result;
    },
  };
}

/** What the change is about, by name. None of it is secret. */
function subjectOf(input: AnyInput, result: unknown): Record<string, string> {
  const subject: Record<string, string> = {};
  for (const name of names) if (typeof input[name] === 'string') subject[name] = input[name];
  const { id, permission } = fieldsOf(input['body']);
  const { access_key_id: created } = fieldsOf(result);
  if (typeof id === 'string' && input['policyId'] === undefined) subject['created'] = id;
  if (typeof permission === 'string') subject['permission'] = permission;
  if (typeof created === 'string') subject['created'] = created;
  return subject;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
