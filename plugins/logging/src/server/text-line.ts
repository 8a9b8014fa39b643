/** The text format: `time="…" level=info msg="…" key=value`. */

const bare = /^[A-Za-z0-9._/@^+:-]+$/;

/** Turns one JSON line into one text line; fields follow in the order they were given. */
export function textLine(json: string): string {
  const { time, level, msg, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const head = `time=${quoted(time)} level=${String(level)} msg=${JSON.stringify(msg ?? '')}`;
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${quoted(value)}`);
  return `${head}${rest.join('')}\n`;
}

function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return bare.test(text) ? text : JSON.stringify(text);
}
