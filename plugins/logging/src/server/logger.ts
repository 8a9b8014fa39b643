/** The kernel's logger on pino. */
import { pino } from 'pino';
import { redact } from './redact.js';
import type { LogFields, LogLevel, LogMethod, Logger } from '@srv/kernel';
import type { Logger as PinoLogger } from 'pino';
import type { AuditLog } from '../contract.js';

/** Configured level → pino's. */
const levels: Readonly<Record<string, LogLevel | 'silent'>> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
  NONE: 'silent',
};

/** Receives one JSON object and a line end per call. */
interface LineSink {
  write(line: string): void;
}

/**
 * A logger whose lines carry `time`, `level`, `msg` and their fields, secrets masked.
 * @param level as configured: `TRACE` to `ERROR`, or `NONE` for nothing at all.
 * @param base fields of every line.
 */
export function createLogger(level: string, sink: LineSink, base: LogFields = {}): LevelLogger {
  const target = pino(
    {
      level: levels[level] ?? 'info',
      base: { ...base },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: label => ({ level: label }) },
    },
    sink,
  );
  return wrap(() => target);
}

/** One line per request. Without an own level (`NONE`) such lines are debug lines. */
export function createAudit(log: LevelLogger, level: string): AuditLog {
  const configured = levels[level] ?? 'silent';
  const method = configured === 'silent' ? 'debug' : configured;
  return (describe, message) => {
    if (log.isEnabled(method)) log[method]({ log_audit: true, ...describe() }, message);
  };
}

/** A logger that knows which of its lines are written. */
interface LevelLogger extends Logger {
  isEnabled(level: LogLevel): boolean;
}

/** @param make creates pino's logger when it is needed: most children that requests get never log. */
function wrap(make: () => PinoLogger): LevelLogger {
  let made: PinoLogger | undefined;
  const target = (): PinoLogger => (made ??= make());
  const method =
    (level: LogLevel): LogMethod =>
    (fields, message) => {
      if (target().isLevelEnabled(level)) target()[level](redact(fields), message);
    };
  return {
    isEnabled: level => target().isLevelEnabled(level),
    trace: method('trace'),
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
    child: fields => wrap(() => target().child(redact(fields))),
  };
}
