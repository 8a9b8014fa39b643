/** Sends an event to its receiver (actions sheet, section 6). */
import { messageOf, withoutPassword } from '@srv/kernel';
import { receiverJson, signatureHeader, signatureOf } from '@srv/lib-api/hook-types';
import { sendRequest } from '@srv/lib-api/hook-types/exchange';
import type { HookRequest } from '@srv/lib-api/hook-types';
import type { WebhookProperties } from './properties.js';

const shownSecret = '*******';

/** A name and a value, from the environment or not. */
interface Filled {
  readonly name: string;
  readonly value: string;
  readonly shown: string;
}

/** @throws Error unless the receiver answers with a status of 200 to 299 in time. */
export async function sendEvent(request: HookRequest<WebhookProperties>): Promise<void> {
  const { properties, payload, log } = request;
  const query = filled(request, properties.query, 'extracting query params: reading query param: ');
  const headers = filled(request, properties.headers, 'extracting headers: reading header: ');
  const url = addressOf(properties.url, query);
  const body = receiverJson(payload);
  const own = [plain('Content-Type', 'application/json')];
  if (properties.signatureSecret !== undefined)
    own.push(plain(signatureHeader, signatureOf(body, request.env.fill(properties.signatureSecret).text)));
  const ownNames = own.map(({ name }) => name.toLowerCase());
  const sent = [...headers.filter(({ name }) => !ownNames.includes(name.toLowerCase())), ...own];
  log(
    [
      'Request:',
      `POST ${shown(properties.url)}`,
      'Query Params:',
      ...query.map(({ name, shown }) => `${name}: ${shown}`),
      'Headers:',
      ...sent.map(({ name, shown }) => `${name}: ${shown}`),
      'Request Body:',
      body,
      '',
      '',
    ].join('\n'),
  );
  const outgoing = Object.fromEntries(sent.map(({ name, value }) => [name, value]));
  const { status } = await sendRequest({ method: 'POST', url, headers: outgoing, body, timeout: properties.timeout }, request);
  if (status < 200 || status > 299) throw new Error(`webhook request failed (status code: ${status})`);
}

function filled({ env }: HookRequest<WebhookProperties>, pairs: WebhookProperties['query'], problem: string): Filled[] {
  try {
    return pairs.map(([name, given]) => {
      const { text, secret } = env.fill(given);
      return { name, value: text, shown: secret ? shownSecret : text };
    });
  } catch (error) {
    throw new Error(`${problem}${messageOf(error)}`, { cause: error });
  }
}

function plain(name: string, value: string): Filled {
  return { name, value, shown: value };
}

/** With its query, as it stands in the file, but without user and password. */
function shown(address: string): string {
  const url = new URL(address);
  if (url.username === '' && url.password === '') return address;
  [url.username, url.password] = ['******', ''];
  return url.href;
}

/** The query of the address and the one of the properties, sorted by name. */
function addressOf(text: string, query: readonly Filled[]): URL {
  if (!URL.canParse(text))
    throw new Error(`${JSON.stringify(withoutPassword(text))} is not a URL; write it with its scheme, such as https://example.com/hook`);
  const url = new URL(text);
  for (const { name, value } of query) url.searchParams.append(name, value);
  url.searchParams.sort();
  return url;
}
