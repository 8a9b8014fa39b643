/** Keeps secrets out of the logs, by the names of fields. */

const secretName = /secret|password|passwd|token|authorization|cookie|credential|signature|private_?key|api_?key|connection_?string/i;
/** Names that contain a suspicious word and are harmless. */
const harmless = /^(staging_?token|staging_?tokens|sealed_?tokens|continuation_?token|token_ttl_seconds|next_?token)$/i;
const mask = '******';
const maxDepth = 6;

type Fields = Readonly<Record<string, unknown>>;

/** A copy of `fields` with values of secret-looking names masked, at any depth; errors become plain data. */
export function redact(fields: Fields): Fields {
  return object(fields, 0);
}

function object(fields: Fields, depth: number): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(name, value, depth)]));
}

function shown(name: string, value: unknown, depth: number): unknown {
  if (isSecret(name, value)) return mask;
  return name === 'path' && typeof value === 'string' ? withoutSecrets(value) : plain(value, depth + 1);
}

/** Where a terminal fetches its login: to know the address is enough. */
const mailbox = /(?<=\/auth\/get-token\/mailboxes\/)[^/?]+/;

/** A URL with values of its query masked by their names: links in e-mails, for example, carry tokens. */
function withoutSecrets(path: string): string {
  const url = path.replace(mailbox, mask);
  const at = url.indexOf('?') + 1;
  if (at === 0) return url;
  const pairs = url
    .slice(at)
    .split('&')
    .map(pair => {
      const [name = '', ...value] = pair.split('=');
      return isSecret(decoded(name).replaceAll('-', '_'), value.join('=')) ? `${name}=${mask}` : pair;
    });
  return url.slice(0, at) + pairs.join('&');
}

/** As servers read it; a name that they cannot read counts as that of a secret. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return 'secret';
  }
}

function isSecret(name: string, value: unknown): boolean {
  return (
    value !== undefined && value !== null && value !== '' && typeof value !== 'boolean' && secretName.test(name) && !harmless.test(name)
  );
}

function plain(value: unknown, depth: number): unknown {
  if (value instanceof Error) return error(value, depth);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Buffer.isBuffer(value)) return `<${value.length} bytes>`;
  if (depth > maxDepth) return '…';
  if (Array.isArray(value)) return value.map(item => plain(item, depth + 1));
  if (value instanceof Map) return object(Object.fromEntries(value) as Fields, depth);
  return object(value as Fields, depth);
}

function error(fault: Error, depth: number): Fields {
  const { code } = fault as { code?: unknown };
  return {
    message: fault.message,
    ...(code === undefined ? {} : { code }),
    ...(fault.cause === undefined || depth > maxDepth ? {} : { cause: plain(fault.cause, depth + 1) }),
    stack: fault.stack,
  };
}
