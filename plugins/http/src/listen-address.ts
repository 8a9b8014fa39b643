/** `<host>:<port>` as configured. */

export interface ListenAddress {
  /** Absent: every interface. */
  readonly host?: string;
  /** 0 to 65535; 0 takes any free port. */
  readonly port: number;
}

/** Splits at the last colon; IPv6 hosts are in brackets. `undefined` when the text has another form. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text.trim());
  if (!match) return undefined;
  const host = match[1] ?? match[2] ?? '';
  const port = Number(match[3]);
  if (port > 65_535) return undefined;
  return host === '' ? { port } : { host, port };
}
