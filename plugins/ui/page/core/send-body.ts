/** Sends a body and reports its progress, which `fetch` does not. */

interface BodyToSend {
  readonly method: string;
  readonly url: string | URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Blob;
  readonly signal: AbortSignal;
  /** @param sent bytes. */
  readonly onProgress: (sent: number) => void;
}

export interface SentAnswer {
  readonly status: number;
  readonly text: string;
  /** `null` if the browser may not reveal it. */
  header(name: string): string | null;
}

/** No answer came: the connection was lost, or the browser may not read it. */
export class NoAnswer extends Error {}

export type RequestMaker = Pick<typeof globalThis, 'XMLHttpRequest'>;

/** @param from whose policy the request follows. @throws NoAnswer; an `AbortError` when cancelled. */
export function sendBody(from: RequestMaker, { method, url, headers, body, signal, onProgress }: BodyToSend): Promise<SentAnswer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new from.XMLHttpRequest();
    const cancel = (): void => request.abort();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = event => onProgress(event.loaded);
    request.onload = () => {
      const headers = readable(request);
      resolve({ status: request.status, text: request.responseText, header: name => headers.get(name) });
    };
    request.onerror = () => reject(new NoAnswer('The connection was lost.'));
    request.onabort = () => reject(new DOMException('cancelled', 'AbortError'));
    request.onloadend = () => signal.removeEventListener('abort', cancel);
    signal.addEventListener('abort', cancel);
    request.send(body);
  });
}

/** To ask for one that the other origin keeps back would be a complaint of the browser. */
function readable(request: XMLHttpRequest): Headers {
  const lines = request.getAllResponseHeaders().split('\r\n');
  return new Headers(lines.flatMap(line => (line.includes(': ') ? [line.split(/: (.*)/s, 2) as [string, string]] : [])));
}
