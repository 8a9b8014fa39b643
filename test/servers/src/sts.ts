/** A stand-in for AWS STS: checks signatures of GetCallerIdentity with the signer of Amazon's own clients. */
import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { ScriptedHttp } from './scripted-http.js';
import type { IncomingMessage } from 'node:http';

export interface StsKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** The user who has the key. */
  readonly arn: string;
}

export interface StsServer {
  readonly url: string;
  /** Hosts that requests named, in order. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** As the signer wants it. */
export class Sha256 {
  readonly #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined
        ? createHash('sha256')
        : createHmac(
            'sha256',
            typeof secret === 'string'
              ? secret
              : ArrayBuffer.isView(secret)
                ? Buffer.from(secret.buffer, secret.byteOffset, secret.byteLength)
                : Buffer.from(secret),
          );
  }

  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {}
}

/** @param answerOf replaces the ARN element's text, or the whole answer when it says a status. */
export async function startSts(
  keys: readonly StsKey[],
  answerOf: (arn: string) => { readonly status?: number; readonly body: string } = answer,
): Promise<StsServer> {
  const asked: string[] = [];
  const server = await ScriptedHttp.open((request, response) => {
    asked.push(request.headers.host ?? '');
    void signedBy(request, keys).then(key => {
      if (!key) return response.writeHead(403).end('<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code></Error></ErrorResponse>');
      const { status = 200, body } = answerOf(key.arn);
      return response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
    });
  });
  return { url: server.url, asked, close: () => server.close() };
}

function answer(arn: string): { readonly body: string } {
  const result = `<Arn>${arn}</Arn><UserId>AIDA</UserId><Account>123456789012</Account>`;
  return {
    body: `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>${result}</GetCallerIdentityResult></GetCallerIdentityResponse>`,
  };
}

async function signedBy(request: IncomingMessage, keys: readonly StsKey[]): Promise<StsKey | undefined> {
  const { searchParams, pathname } = new URL(request.url ?? '', 'http://sts');
  const given = Object.fromEntries(searchParams);
  const [accessKeyId = '', , region = ''] = (given['X-Amz-Credential'] ?? '').split('/');
  const key = keys.find(known => known.accessKeyId === accessKeyId && (known.sessionToken ?? '') === (given['X-Amz-Security-Token'] ?? ''));
  if (!key || request.method !== 'POST' || given['Action'] !== 'GetCallerIdentity') return undefined;
  const names = (given['X-Amz-SignedHeaders'] ?? '').split(';');
  const headers = Object.fromEntries(names.map(name => [name, String(request.headers[name] ?? '')]));
  const date = given['X-Amz-Date'] ?? '';
  const signer = new SignatureV4({ credentials: key, region, service: 'sts', sha256: Sha256, applyChecksum: false });
  const signed = await signer.presign(
    {
      method: 'POST',
      protocol: 'https:',
      hostname: headers['host'] ?? '',
      path: pathname,
      headers,
      query: { Action: given['Action'], Version: given['Version'] ?? '' },
    },
    {
      signingDate: new Date(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')),
      expiresIn: Number(given['X-Amz-Expires']),
      signableHeaders: new Set(names),
      unhoistableHeaders: new Set(names),
    },
  );
  return signed.query?.['X-Amz-Signature'] === given['X-Amz-Signature'] ? key : undefined;
}
