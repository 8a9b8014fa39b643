/** The library that checks XML signatures. With what it needs it is 22 packages, and not installed with srv. */
import { SrvError } from '@srv/kernel';
import { optionalPackage } from '@srv/lib-api/optional-package';

const packageName = '@node-saml/node-saml';
/** Tested. Earlier ones read assertions that are not the signed ones. */
const version = '5.1.0';

export const installAdvice = `logins by SAML need ${packageName}, which is not installed: run \`npm install ${packageName}@${version}\` where srv is installed, or set auth.saml.installed_in to the folder where it was run`;

export const isInstalled = (folder: string | undefined): boolean => optionalPackage(packageName, folder, import.meta.url) !== undefined;

/** @returns URL of the module. @throws SrvError `unsupported` that says what to install. */
export function installedModule(folder: string | undefined): string {
  const found = optionalPackage(packageName, folder, import.meta.url);
  if (found === undefined) throw new SrvError('unsupported', installAdvice);
  return found;
}
