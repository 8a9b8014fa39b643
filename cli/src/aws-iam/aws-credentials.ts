/** Credentials and region as other tools of AWS find them. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AwsCredentials } from './identity-proof.js';

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
