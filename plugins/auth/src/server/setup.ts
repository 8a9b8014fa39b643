/** The first run: presets, and the first administrator. */
import { SrvError, isSrvError } from '@srv/kernel';
import { administrators, presetAcls, presetGroups, presetPolicies } from '@srv/lib-auth';
import { setAcl } from './directory/acl.js';
import { alreadyInitialized } from './installation.js';
import type { AccessKey, AuthMode, CredentialWithSecret, SetupRequest } from '../contract.js';
import type { Directory } from './directory/directory.js';
import type { Installation } from './installation.js';

/**
 * Creates missing groups and policies.
 * @param completes whether what groups may do is given to existing ones, too: a setup that stopped halfway may have made them.
 * Otherwise they are the administrators', and left alone.
 */
export async function createPresets({ groups }: Directory, mode: AuthMode, completes: boolean): Promise<void> {
  const policies = mode === 'internal' ? presetPolicies : {};
  for (const [id, statement] of Object.entries(policies)) {
    if (!(await groups.policies.find(id))) await groups.policies.put(id, { id, createdAt: new Date(), statement });
  }
  const names = mode === 'internal' ? Object.keys(presetGroups) : mode === 'simplified' ? Object.keys(presetAcls) : [];
  for (const id of names) {
    const exists = (await groups.groups.find(id)) !== undefined;
    if (exists && !completes) continue;
    if (!exists) await groups.groups.put(id, { id, createdAt: new Date() });
    const acl = presetAcls[id];
    if (mode === 'simplified' && acl !== undefined) await setAcl(groups, id, acl);
    else for (const policy of presetGroups[id] ?? []) await groups.attach(id, policy, { tolerate: true });
  }
}

/** For the log and the login page. */
export const withoutAdministrators =
  'no user is an administrator, as after a setup with auth.ui_config.rbac none: make one by srv superuser --user-name NAME while the server is stopped';

export async function hasAdministrator({ groups }: Directory): Promise<boolean> {
  for await (const _ of groups.members.members(administrators)) return true;
  return false;
}

/** In mode `none` everybody may do everything. */
async function joinAdministrators(directory: Directory, mode: AuthMode, username: string): Promise<void> {
  if (mode !== 'none') await directory.changePolicies(() => directory.addMember(administrators, username, { tolerate: true }));
}

/** @throws SrvError `not_unique` when the user exists; then nothing has changed. */
export async function createAdministrator(
  directory: Directory,
  mode: AuthMode,
  username: string,
  key?: AccessKey,
): Promise<CredentialWithSecret> {
  await directory.createUser({ username });
  try {
    await joinAdministrators(directory, mode, username);
    return await directory.createCredential(username, key);
  } catch (error) {
    await directory.deleteUser(username);
    throw error;
  }
}

/** @throws SrvError `not_found` for an unknown access key, `invalid` when it belongs to another user. */
export async function promoteOwner(directory: Directory, mode: AuthMode, username: string, accessKeyId: string): Promise<void> {
  const known = await directory.findAccessKey(accessKeyId);
  if (!known) throw new SrvError('not_found', `credentials not found: ${accessKeyId}`);
  if (known.username !== username) throw new SrvError('invalid', `access key ${accessKeyId} does not belong to user ${username}`);
  await directory.users.get(username);
  await joinAdministrators(directory, mode, username);
}

/**
 * Makes an installation ready for the administrator that its configuration names. It completes a setup that stopped halfway,
 * and servers that start together may all do it: each step leaves alone what is there already.
 */
export async function setUpConfigured(
  directory: Directory,
  installation: Installation,
  mode: AuthMode,
  { username, key }: { readonly username: string; readonly key: AccessKey },
): Promise<void> {
  await installation.writePreferences({});
  await createPresets(directory, mode, true);
  await unlessThere(directory.createUser({ username }));
  await unlessThere(directory.createCredential(username, key));
  await joinAdministrators(directory, mode, username);
  await installation.markInitialized();
}

async function unlessThere(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isSrvError(error, 'not_unique')) throw error;
  }
}

/** As {@link createAdministrator}, but a user of the name is what a setup left that stopped halfway: its access keys may be unknown. */
async function createFirstAdministrator(
  directory: Directory,
  mode: AuthMode,
  username: string,
  key?: AccessKey,
): Promise<CredentialWithSecret> {
  try {
    return await createAdministrator(directory, mode, username, key);
  } catch (error) {
    if (!isSrvError(error, 'not_unique') || !(await directory.users.find(username))) throw error;
  }
  if (!(await directory.findUser(username))) {
    // Its removal stopped halfway, too.
    await directory.deleteUser(username);
    return createAdministrator(directory, mode, username, key);
  }
  await directory.deleteCredentials(username);
  await joinAdministrators(directory, mode, username);
  return directory.createCredential(username, key);
}

/** @throws SrvError `invalid` for an unacceptable request, `not_unique` when the installation is set up, or is being set up. */
export async function setUp(
  directory: Directory,
  installation: Installation,
  mode: AuthMode,
  { username, key, preferences = {} }: SetupRequest,
): Promise<CredentialWithSecret> {
  if (username === '') throw new SrvError('invalid', 'empty user display name');
  if ((await installation.state()).initialized) throw alreadyInitialized();
  return installation.setUpAlone(async () => {
    await installation.writePreferences(preferences);
    await createPresets(directory, mode, true);
    const created = await createFirstAdministrator(directory, mode, username, key);
    await installation.markInitialized();
    return created;
  });
}
