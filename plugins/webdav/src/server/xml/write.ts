/** XML of answers, as text. The prefix `D` stands for `DAV:` in all of them. */
import { escapeXml } from '@srv/lib-api/http';

export const xmlHeader = '<?xml version="1.0" encoding="utf-8"?>\n';
export const davNamespace = 'DAV:';

/** A name with its namespace; empty: it has none. */
export interface QName {
  readonly namespace: string;
  readonly name: string;
}

/** An element; `content` is XML. */
export function element({ namespace, name }: QName, content: string): string {
  if (namespace === davNamespace) return content === '' ? `<D:${name}/>` : `<D:${name}>${content}</D:${name}>`;
  const [tag, declared] = namespace === '' ? [name, ''] : [`N:${name}`, ` xmlns:N="${escapeXml(namespace)}"`];
  return content === '' ? `<${tag}${declared}/>` : `<${tag}${declared}>${content}</${tag}>`;
}

/** An element of `DAV:`. */
export const dav = (name: string, content = ''): string => element({ namespace: davNamespace, name }, content);

export const href = (path: string): string => dav('href', escapeXml(path));

const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  412: 'Precondition Failed',
  423: 'Locked',
  424: 'Failed Dependency',
  507: 'Insufficient Storage',
};

export const statusLine = (status: number): string => dav('status', `HTTP/1.1 ${status} ${reasons[status] ?? 'Error'}`);

export const multistatusBegin = `${xmlHeader}<D:multistatus xmlns:D="DAV:">`;
export const multistatusEnd = '</D:multistatus>\n';
export const xmlType = 'application/xml; charset=utf-8';

/** One member of a multistatus that is only a status. */
export function statusResponse(path: string, status: number, condition = ''): string {
  return dav('response', href(path) + statusLine(status) + (condition === '' ? '' : dav('error', condition)));
}
