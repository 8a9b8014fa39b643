/** Asks an address that the operator configured. */
import { SrvError } from '@srv/kernel';

/** Bytes of an answer: it is a short document. */
const maxAnswer = 1 << 20;

/**
 * @param timeout milliseconds.
 * @throws SrvError `unavailable` without an answer, or if the answer is not a JSON object.
 */
export async function ask(url: URL, timeout: number, stop: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
  const signal = AbortSignal.any([AbortSignal.timeout(timeout), stop]);
  const response = await fetch(url, { headers: { accept: 'application/json' }, signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new SrvError('unavailable', `${url.origin} answers with status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > maxAnswer) throw new SrvError('unavailable', `${url.origin} answers with more than ${maxAnswer} bytes`);
    chunks.push(chunk as Uint8Array);
  }
  const answer: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  if (typeof answer !== 'object' || answer === null)
    throw new SrvError('unavailable', `${url.origin} answers with something that is not a JSON object`);
  return answer as Readonly<Record<string, unknown>>;
}
