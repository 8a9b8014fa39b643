/** One line per finished request. Field names are read by log pipelines. */
import { isBoom } from '@hapi/boom';
import type { LogMethod } from '@srv/kernel';
import type { Request } from '@hapi/hapi';

/** Writes the line of `request`, whose response has been sent. */
export function auditRequest(request: Request, write: LogMethod): void {
  const facts = request.route.settings.plugins?.http;
  if (facts?.audit === false) return;
  const { req, res } = request.raw;
  const operationId = (request.method === 'head' ? facts?.headOperationId : undefined) ?? facts?.operationId;
  const took = Math.max(0, (request.info.responded || Date.now()) - request.info.received);
  write(
    {
      path: req.url ?? '',
      method: (req.method ?? '').toUpperCase(),
      host: request.info.host,
      took: took * 1e6,
      took_str: `${took}ms`,
      status_code: statusOf(request),
      sent_bytes: Number(res.getHeader('content-length') ?? 0),
      source_ip: `${request.info.remoteAddress}:${request.info.remotePort}`,
      ...(operationId === undefined ? {} : { operation_id: operationId }),
      ...(request.app.user === undefined ? {} : { user: request.app.user }),
      client: req.headers['x-lakefs-client'] ?? req.headers['x-srv-client'] ?? req.headers['user-agent'] ?? '',
      request_id: request.app.requestId,
      service_name: 'rest_api',
      log_audit: true,
    },
    'HTTP call ended',
  );
}

const callerLeft = 499;

/** 499 when the caller left before the answer was complete; HTTP/2 tells that to the framework alone. */
function statusOf({ raw: { req, res }, response }: Request): number {
  if (isBoom(response) && response.output.statusCode === callerLeft) return callerLeft;
  return req.destroyed && !res.writableFinished ? callerLeft : res.statusCode;
}
