export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

export type LogFields = Readonly<Record<string, unknown>>;

/** Fields first, then a fixed message: lines of one kind share their message. */
export type LogMethod = (fields: LogFields, message: string) => void;

export interface Logger extends Readonly<Record<LogLevel, LogMethod>> {
  /** A logger that adds `fields` to every line. */
  child(fields: LogFields): Logger;
}

const nothing: LogMethod = () => {};

/** Discards everything; stands in until a logging plugin provides a logger. */
export const silentLogger: Logger = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silentLogger,
};
