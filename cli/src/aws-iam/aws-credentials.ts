/** Credentials and region as other tools of AWS find them. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AwsCredentials } from './identity-proof.js';

/** What decides which credentials are found: other values may mean another principal. */
const sources = [
  'AWS_PROFILE',
  'AWS_ACCESS_KEY_ID',
  'AWS_ROLE_ARN',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONFIG_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

/** A name for the source of the credentials, the same as long as the environment chooses the same one. */
export function credentialsSource(): string {
  const chosen = sources.map(name => process.env[name] ?? '');
  return createHash('sha256').update(JSON.stringify(chosen)).digest('hex').slice(0, 16);
}

export async function findAwsCredentials(): Promise<{ readonly credentials: AwsCredentials; readonly region: string | undefined }> {
  // Takes a while to load, and few need it.
  const { fromNodeProviderChain } = await import('@aws-sdk/credential-providers');
  const [credentials, region] = [await fromNodeProviderChain()(), await findRegion()];
  return { credentials, region };
}

/** From the environment, else from the profile's section of the configuration file. */
async function findRegion(): Promise<string | undefined> {
  const { AWS_REGION: region, AWS_DEFAULT_REGION: preset, AWS_PROFILE: profile = 'default', AWS_CONFIG_FILE: file } = process.env;
  if (region || preset) return region || preset;
  const text = await readFile(file || join(homedir(), '.aws', 'config'), 'utf8').catch(() => '');
  let section = '';
  for (const line of text.split('\n')) {
    const header = /^\s*\[\s*(?:profile\s+)?([^\]\s]+)\s*\]/.exec(line)?.[1];
    if (header !== undefined) section = header;
    const value = /^\s*region\s*=\s*(\S+)/.exec(line)?.[1];
    if (section === profile && value !== undefined) return value;
  }
  return undefined;
}
