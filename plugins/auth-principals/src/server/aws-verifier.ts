/** Checks logins with AWS IAM by asking STS, without another service. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { SrvError, messageOf } from '@srv/kernel';
import { queryOf, readProof, serverIdHeader } from './identity-proof.js';
import type { IncomingMessage } from 'node:http';
import type { PrincipalVerifier } from '../contract.js';
import type { IdentityProof } from './identity-proof.js';

interface AwsVerifierOptions {
  /** Host names of this server, one of which the caller has signed. */
  readonly serverIds: readonly string[];
  /** Where requests go instead of to the host of the proof. */
  readonly stsUrl?: string | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  readonly now?: () => Date;
}

const largestAnswer = 64 * 1024;

interface StsResponse {
  readonly status: number;
  readonly text: string;
}

export class AwsVerifier implements PrincipalVerifier {
  readonly #options: AwsVerifierOptions;

  constructor(options: AwsVerifierOptions) {
    this.#options = options;
  }

  async verify(request: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    const { now = () => new Date(), serverIds } = this.#options;
    const proof = readProof(request, now());
    for (const serverId of serverIds) {
      const { status, text } = await this.#ask(proof, serverId);
      if (status === 200) return principalsOf(arnIn(text));
      if (status >= 500 || status === 429 || status < 400)
        throw new SrvError('unavailable', `STS at ${proof.host} answers with status ${status}`);
      if (/ExpiredToken|RequestExpired|Signature expired/.test(text)) throw new SrvError('forbidden', 'session expired');
    }
    throw new SrvError('unauthenticated', 'invalid token format');
  }

  async #ask(proof: IdentityProof, serverId: string): Promise<StsResponse> {
    const { stsUrl, timeout } = this.#options;
    const url = new URL(`${stsUrl?.replace(/(?<!\/)\/+$/, '') ?? `https://${proof.host}`}/?${queryOf(proof)}`);
    try {
      return await post(url, { host: proof.host, [serverIdHeader]: serverId, 'content-length': '0', accept: 'text/xml' }, timeout);
    } catch (error) {
      throw new SrvError('unavailable', `STS at ${proof.host}: ${messageOf(error)}`, { cause: error });
    }
  }
}

/** By node's own client: the host that was signed is sent, wherever the request goes. */
function post(url: URL, headers: Record<string, string>, timeout: number): Promise<StsResponse> {
  const signal = AbortSignal.timeout(timeout);
  return new Promise((resolve, reject) => {
    const answer = (response: IncomingMessage): void => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > largestAnswer) response.destroy(new Error('the answer is too long'));
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.once('error', reject);
    };
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    send(url, { method: 'POST', headers, signal, ...(url.protocol === 'https:' ? { servername: headers['host'] } : {}) }, answer)
      .once('error', reject)
      .end();
  });
}

function arnIn(text: string): string {
  const arn = /<GetCallerIdentityResult>[\s\S]*?<Arn>([^<]{1,2048})<\/Arn>[\s\S]*?<\/GetCallerIdentityResult>/.exec(text)?.[1];
  if (arn === undefined || !/^arn:aws[a-z-]*:(iam|sts)::\d{12}:[\w+=,.@/-]+$/.test(arn))
    throw new SrvError('unavailable', 'STS answers without the ARN of the caller');
  return arn;
}

/** An assumed role counts with its session, and as the role alone. */
function principalsOf(arn: string): readonly string[] {
  const role = /^(arn:[^:]+:sts::\d{12}:assumed-role\/[^/]+)\/[^/]+$/.exec(arn)?.[1];
  return role === undefined ? [arn] : [arn, role];
}
