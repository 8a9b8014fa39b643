/** Answers a request past the framework: with its log line, its metrics, and an end of its connection that fits its body. */
import { cutAnswerLogger, describe, errorResponse, failureOf, reportFault } from './errors.js';
import { sendAtEndOfTick } from './send.js';
import { closesConnection } from './unread-body.js';
import type { Logger, RawRequest } from '@srv/kernel';
import type { HttpResponse } from '@srv/lib-api/http';
import type { RawFace } from '../contract.js';
import type { ExchangeLog, LoggedExchange } from './exchange-log.js';

export interface AnswerParts {
  readonly exchanges: ExchangeLog;
  readonly log: Logger;
  /** Once it is closed, connections end after their answer. */
  readonly listener: { readonly listening: boolean };
}

type Handler = Pick<RawFace, 'service' | 'failed' | 'isRefusal'> & { handle(exchange: LoggedExchange): Promise<HttpResponse> };

export async function answerExchange({ exchanges, listener, log }: AnswerParts, raw: RawRequest, handler: Handler): Promise<void> {
  const { request, response } = raw;
  const exchange = exchanges.begin(request, response, handler.service);
  // A client disconnect is not an error, wherever it is noticed first.
  request.on('error', ignore);
  response.on('error', ignore);
  const broken = cutAnswerLogger(log, exchange);
  const respond = (answer: HttpResponse, failed: (error: unknown) => void): void => {
    exchange.answering(answer.status);
    const extraHeaders = ['X-Request-ID', exchange.requestId];
    if (request.httpVersionMajor === 1 && (!listener.listening || closesConnection(request))) extraHeaders.push('Connection', 'close');
    exchange.sentBytes = sendAtEndOfTick(response, answer, extraHeaders, failed, broken);
  };
  const respondError = (error: unknown): void => {
    // It is too late to say anything else.
    if (response.headersSent) response.destroy();
    else respond(failure(error), () => response.destroy());
  };
  const failure = (thrown: unknown): HttpResponse => {
    const error = failureOf(thrown, exchange);
    const own = handler.failed?.(error, describe(error));
    if (own && own.status >= 500 && !handler.isRefusal?.(error)) reportFault(exchange, error, own.status, log);
    return own ?? errorResponse(error, exchange, log);
  };
  try {
    respond(await handler.handle(exchange), respondError);
  } catch (error) {
    respondError(error);
  }
}

function ignore(): void {}
